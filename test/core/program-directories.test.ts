/** A line that writes in a directory of PATH is for exact approval, because files there may run in place of programs. */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { assessRequest, commandsOfRequest } from '../../src/core/effects/assess-request.ts';
import { allRules } from './rule-effects.ts';
import { lookupsIn, requestOf, type World, world } from './scope-fixture.ts';

function codesOf(
  text: string,
  path: string,
  more: { readonly digest?: true } = {},
  links: World['links'] = {},
): readonly string[] {
  const before = requestOf(text);
  const environment = [
    ...before.environment.filter(({ name }) => name !== 'PATH'),
    { name: 'PATH', value: path, ...more },
  ];
  const request = { ...before, argv: ['-c', text], environment };
  const { opaque } = assessRequest(request, commandsOfRequest(request, parse), 'agrees', {
    rules: allRules,
    lookups: lookupsIn({ ...world, links }),
  });
  return opaque.map(({ code }) => code);
}
const inside = (name: string): string => `${requestOf('ls').cwd}/${name}`;

it.each([
  'cp a venv/bin/git',
  'echo x > venv/bin/git',
  'mv a venv/bin',
  'rm venv/bin/git',
  'ln -s a venv/bin/git',
  'mkdir venv/bin/x',
])('%s is for exact approval if its directory is in PATH', (text) => {
  expect(codesOf(text, `${inside('venv/bin')}/:/usr/bin`)).toContain('writes-program-directory');
  expect(codesOf(text, '/usr/bin:/bin')).not.toContain('writes-program-directory');
});

it('reading in such a directory, and writing outside of it, is not affected', () => {
  for (const text of ['cat venv/bin/git', 'cp a venv/b', 'echo x > venv/binary'])
    expect(codesOf(text, inside('venv/bin'))).not.toContain('writes-program-directory');
});

it.each(['/x/../venv/bin', '//venv//./bin'])('PATH can spell the directory as %s', (directory) =>
  expect(codesOf('cp a venv/bin/git', inside(directory.slice(1)))).toContain('writes-program-directory'),
);

it('PATH can name a link to the directory, or a link above the directory', () => {
  const links = { '/opt/tools': inside('venv/bin'), '/opt/x/y': inside('venv/deep') };
  for (const path of ['/opt/tools', '/opt/tools/', '/opt/x/y/../bin'])
    expect(codesOf('cp a venv/bin/git', path, {}, links)).toContain('writes-program-directory');
  expect(codesOf('cp a venv/b', '/opt/tools', {}, links)).not.toContain('writes-program-directory');
});

it('is for exact approval if the request has only a digest of PATH', () => {
  const digest = 'ab'.repeat(32);
  expect(codesOf('/usr/bin/tee venv/bin/git', digest, { digest: true })).toContain('writes-program-directory');
  expect(codesOf('/usr/bin/cat venv/bin/git', digest, { digest: true })).not.toContain('writes-program-directory');
});
