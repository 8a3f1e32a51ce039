/** The table of sensitive paths: each example of a row is matched by that row. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dangerousPlace, dangerousPlacesIn } from '../../src/core/sensitive/dangerous-places.ts';
import { originalNames, SECRET_NAMES } from '../../src/core/sensitive/secret-names.ts';
import { sensitivityOfName } from '../../src/core/sensitive/sensitive-paths.ts';
import { folded, isInPlace, PLACE_MATCHERS, SECRET_EXAMPLES } from '../../src/core/sensitive/sensitive-places.ts';

it('the table has an example for each file name, and each example is matched by its own row', () => {
  const named = PLACE_MATCHERS.filter(({ place }) => place.name !== null);
  expect(named.length).toBeGreaterThan(5);
  for (const matcher of named) {
    const { name, examples } = matcher.place;
    expect([name, examples.length > 0]).toEqual([name, true]);
    for (const example of examples)
      expect([example, isInPlace(matcher, ['any', folded(example)])]).toEqual([example, true]);
  }
});

it('each example in the table has a high risk to read', () => {
  expect(SECRET_EXAMPLES).toContain('.aws');
  for (const example of SECRET_EXAMPLES)
    expect([example, sensitivityOfName(`/any/${example}`, 'read')?.risk]).toEqual([example, 'high']);
});

it('no scope covers writing the options of GNU parallel, which may name programs', () => {
  for (const file of ['.parallel/config', '.parallelrc', '.config/parallel/config', '.parallel/profile'])
    expect([file, dangerousPlace(`/home/u/${file}`, false)]).toEqual([file, 'program-start-up']);
});

describe('the dangerous places in a directory', () => {
  it.each([
    ['/home/u', '.config/gh'],
    ['/home/u', '.npmrc'],
    ['/home/u', '.cargo/credentials.toml'],
    ['/home/u/.config', 'gh'],
    ['/home/u/.config', 'gcloud'],
    ['/home/u/.config', 'fish'],
    ['/home/u/.config', '.npmrc'],
    ['/home/u/.cargo', 'credentials'],
    ['/home/u/.cargo', 'credentials.toml'],
    ['/home/u/.docker', 'config.json'],
    ['/home/u/.local', 'share/keyrings'],
    ['/home/u/.local/share', 'keyrings'],
    ['/home/u/.config/turborepo', 'auth.json'],
    ['/Users/u/Library', 'Keychains'],
    ['/var', 'spool/cron'],
    ['/var/spool', 'cron'],
    ['/home', 'linuxbrew'],
  ])('%s have %s', (directory, name) => expect(dangerousPlacesIn(directory)).toContain(`${directory}/${name}`));

  it.each([
    ['/home/u', 'gh'],
    ['/home/u', 'Library/Keychains'],
    ['/srv/var/spool', 'cron'],
    ['/', 'etc'],
    ['/', 'var/spool/cron'],
  ])('%s do not have %s', (directory, name) =>
    expect(dangerousPlacesIn(directory)).not.toContain(`${directory === '/' ? '' : directory}/${name}`),
  );

  it('are dangerous places, and each is there once', () => {
    for (const directory of ['/', '/home/u', '/home/u/.config', '/home/u/.local/share', '/var', '/Users/u/Library']) {
      const places = dangerousPlacesIn(directory);
      expect(places.filter((place) => dangerousPlace(place, false) === null || place.includes('//'))).toEqual([]);
      expect(new Set(places).size).toBe(places.length);
    }
  });
});

it('a copy of a file with secrets is a file with secrets', () => {
  const copies = [
    '.env~',
    '.env.bak',
    '.env.prod.bak',
    '.env.old',
    '..env.swp',
    '.env.swp',
    '.server.pem.un~',
    '.env.un~',
    '.netrc.swo',
    '.key.pem.swo',
    '#.env#',
    '#id_rsa#',
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

it('names that are just as often harmless are no secrets', () => {
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

describe('a name that a requester made to take long to match', () => {
  const tried = (name: string) => SECRET_NAMES.some((one) => one.name.test(name));
  /** Ends a pattern that takes too long, which would also block the test runner. */
  const ending = (work: () => void) => () => void runInNewContext('work()', { work }, { timeout: 60_000 });

  // A pattern in which two repeated parts match the same character would take longer than a machine lives.
  it(
    'is matched quickly, whatever is repeated after a part of a secret-like name',
    ending(() => {
      for (const { examples } of SECRET_NAMES)
        for (const example of examples)
          for (let end = 0; end <= example.length; end += 1)
            for (const piece of ['a', '-', '-a', '.a', '.a-', '_1', '1', '~', '.old'])
              expect(tried(`${example.slice(0, end)}${piece.repeat(200)}!`.toLowerCase())).toBe(false);
    }),
  );

  it(
    'is matched in linear time, also if it is a megabyte',
    ending(() => {
      for (const piece of ['~', '-1', '.old', 'adminsdk', 'credentials', '-a', '.a-'])
        for (const start of ['x', '.env', 'adminsdk', 'secret.']) {
          const name = `${start}${piece.repeat(1_000_000 / piece.length)}!`;
          expect([tried(name), originalNames(name)]).toEqual([false, []]);
        }
    }),
  );
});

it('the patterns match what their plain forms match', () => {
  const ENVIRONMENT = /^\.env(?!.*\.(?:example|sample|template|dist)$)(?:[._-][\w-]+)*$/;
  const CREDENTIALS = /^(?:[\w-]*credentials|accesstokens|[\w-]*adminsdk[\w-]*)(?:\.json)?$/;
  const COPY = /(?:~|[._-](?:bak|backup|old|orig|save|saved|copy|rej|tmp|\d+))+$/;
  const pieces = [
    '.',
    '-',
    '_',
    '~',
    'a',
    '1',
    'old',
    'bak',
    'up',
    'example',
    '.json',
    'adminsdk',
    'credentials',
    '!',
    '/',
  ];
  const ending = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join(''));
  const start = fc.constantFrom('.env', '', 'x', 'adminsdk', '.netrc');
  const formOf = (example: string) => SECRET_NAMES.find(({ examples }) => examples.includes(example))?.name ?? /$^/;
  fc.assert(
    fc.property(start, ending, (before, after) => {
      const name = `${before}${after}`;
      expect(formOf('.env.local').test(name)).toBe(ENVIRONMENT.test(name));
      expect(formOf('credentials').test(name)).toBe(CREDENTIALS.test(name));
      const plain = name.replace(COPY, '');
      expect(originalNames(name)).toEqual(plain === name || plain === '' ? [] : [plain]);
    }),
    { numRuns: 20_000 },
  );
});
