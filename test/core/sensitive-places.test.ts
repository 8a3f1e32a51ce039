/** The table of sensitive places: what stands in it as an example is in the place of its row. */
import { expect, it } from 'vitest';
import { sensitivityOfName } from '../../src/core/sensitive/sensitive-paths.ts';
import { folded, isInPlace, PLACE_MATCHERS, SECRET_EXAMPLES } from '../../src/core/sensitive/sensitive-places.ts';

it('has an example for each name of a file, and each is in the place of its row', () => {
  const named = PLACE_MATCHERS.filter(({ place }) => place.name !== null);
  expect(named.length).toBeGreaterThan(5);
  for (const matcher of named) {
    const { name, examples } = matcher.place;
    expect([name, examples.length > 0]).toEqual([name, true]);
    for (const example of examples)
      expect([example, isInPlace(matcher, ['any', folded(example)])]).toEqual([example, true]);
  }
});

it('names only examples that reading is a risk of', () => {
  expect(SECRET_EXAMPLES).toContain('.aws');
  for (const example of SECRET_EXAMPLES)
    expect([example, sensitivityOfName(`/any/${example}`, 'read')?.risk]).toEqual([example, 'high']);
});

it('a copy of a file with secrets is one', () => {
  const copies = [
    '.env~',
    '.env.bak',
    '.env.prod.bak',
    '.env.old',
    '..env.swp',
    '.key.pem.swo',
    'id_rsa.old',
    'id_rsa.bak.2',
  ];
  for (const copy of [
    ...copies,
    'key.pem~',
    '.netrc.bak',
    '.npmrc.orig',
    '.pgpass_old',
    'credentials.json.1',
    '.aws.bak',
  ])
    expect([copy, sensitivityOfName(`/any/${copy}`, 'read')?.risk]).toEqual([copy, 'high']);
});

it('names that are as often ordinary are no secrets', () => {
  const code = [
    'id_rsa.pub',
    'id_map.py',
    'secrets.py',
    'token.ts',
    'tokens.json',
    'credentials.ts',
    'password.test.ts',
  ];
  const data = [
    '.env.example',
    '.env.local.example',
    'config.json',
    'settings.xml',
    'database.yml',
    'known_hosts',
    'keys.py',
  ];
  const others = [
    'main.ts~',
    'README.md.bak',
    'a.txt.1',
    '.gitignore.orig',
    'passwords.md',
    'authorized_keys',
    'x.asc',
  ];
  for (const name of [...code, ...data, ...others])
    expect([name, sensitivityOfName(`/any/${name}`, 'read')]).toEqual([name, null]);
});
