/** What the settings of a covered line keep the real git from: effects that the words of the line do not show. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { COVERED_VARIABLES } from '../../src/core/covered-variables.ts';

let directory: string;
const at = (...names: string[]): string => join(directory, ...names);
const PERSON = { name: 'u', email: 'u@example.com' };

function run(words: readonly string[], more: Readonly<Record<string, string>> = {}, name = 'own'): string {
  const environment = {
    PATH: process.env['PATH'],
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: PERSON.name,
    GIT_AUTHOR_EMAIL: PERSON.email,
    GIT_COMMITTER_NAME: PERSON.name,
    GIT_COMMITTER_EMAIL: PERSON.email,
    ...more,
  };
  const { stdout, stderr } = spawnSync('git', words, { cwd: at(name), env: environment, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

/** The variables of a covered line. The remotes of this test are directories, which a covered git refuses otherwise. */
const COVERED = Object.fromEntries(
  COVERED_VARIABLES.map(([name, value]) => [name, value.replace("'protocol.file.allow=never' ", '')]),
);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-covered-git-'));
  for (const name of ['own', 'other']) {
    mkdirSync(at(name));
    run(['init', '-q', '-b', 'main'], {}, name);
  }
  for (const words of [
    'commit -q --allow-empty -m first',
    'remote add upstream ../other',
    'push -q upstream main:feature main:gone',
    'fetch -q upstream',
    'remote set-head upstream feature',
  ])
    run(words.split(' '));
});
afterEach(() => rmSync(directory, { recursive: true }));

const settings = (name: string): string => readFileSync(at(name, '.git', 'config'), 'utf8');

it.each([
  'branch x upstream',
  'branch x upstream/feature',
  'switch feature',
  'checkout feature',
  'switch -c x upstream',
  'checkout -b x upstream/feature',
  'worktree add ../w feature',
  'worktree add -b x ../w upstream',
])('git %s writes .git/config, but not in a covered line', (words) => {
  cpSync(at('own'), at('copy'), { recursive: true });
  const before = settings('own');
  const said = run(words.split(' '), COVERED);
  expect(settings('own'), said).toBe(before);
  rmSync(at('w'), { recursive: true, force: true });
  const saidPlainly = run(words.split(' '), {}, 'copy');
  expect(settings('copy'), saidPlainly).not.toBe(before);
});

it.each([
  ['switch feature', []],
  ['switch --guess feature', ['feature']],
  ['checkout --guess feature', ['feature']],
  ['worktree add ../w feature', ['feature']],
  ['worktree add ../w', ['w']],
  ['worktree add --detach ../w', []],
])('a covered git %s makes the branches %j', (words, made) => {
  const said = run(words.split(' '), COVERED);
  const branches = run(['branch', '--format=%(refname:short)']).trim().split('\n');
  expect(
    branches.filter((name) => name !== 'main'),
    said,
  ).toEqual(made);
});

it('git log runs the program for signatures that settings ask for, but not in a covered line', () => {
  writeFileSync(at('gpg'), `#!/bin/sh\necho ran > ${at('ran')}\n`);
  chmodSync(at('gpg'), 0o755);
  const signed = run(['cat-file', 'commit', 'HEAD']).replace(
    '\n\n',
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n',
  );
  writeFileSync(at('commit'), signed);
  const id = run(['hash-object', '-t', 'commit', '-w', at('commit')]).trim();
  run(['config', 'log.showSignature', 'true']);
  run(['config', 'gpg.program', at('gpg')]);
  run(['log', '-1', id], COVERED);
  expect(existsSync(at('ran'))).toBe(false);
  run(['log', '-1', id]);
  expect(existsSync(at('ran'))).toBe(true);
});

it('git fetch deletes refs that settings ask to prune, but not in a covered line', () => {
  run(['config', 'fetch.prune', 'true']);
  run(['branch', '-q', '-D', 'gone'], {}, 'other');
  run(['fetch', 'upstream'], COVERED);
  expect(run(['branch', '-r'])).toContain('upstream/gone');
  run(['fetch', 'upstream']);
  expect(run(['branch', '-r'])).not.toContain('upstream/gone');
});

it('git push sends the tags that settings ask for, but not in a covered line', () => {
  run(['config', 'push.followTags', 'true']);
  run(['tag', '-a', '-m', 'x', 'v1']);
  run(['push', 'upstream', 'main:one'], COVERED);
  expect(run(['tag'], {}, 'other')).toBe('');
  run(['push', 'upstream', 'main:two']);
  expect(run(['tag'], {}, 'other')).toBe('v1\n');
});

it('git rebase moves the other branches that settings ask for, but not in a covered line', () => {
  run(['config', 'rebase.updateRefs', 'true']);
  for (const words of [
    'switch -qc below',
    'commit -q --allow-empty -m below',
    'switch -qc above',
    'commit -q --allow-empty -m above',
  ])
    run(words.split(' '));
  run(['switch', '-q', 'main']);
  run(['commit', '-q', '--allow-empty', '-m', 'main']);
  run(['switch', '-q', 'above']);
  cpSync(at('own'), at('copy'), { recursive: true });
  const before = run(['rev-parse', 'below']);
  run(['rebase', '-q', 'main'], COVERED);
  expect(run(['rev-parse', 'below'])).toBe(before);
  run(['rebase', '-q', 'main'], {}, 'copy');
  expect(run(['rev-parse', 'below'], {}, 'copy')).not.toBe(before);
});

it('git log shows the format of the settings, which may check signatures, but not in a covered line', () => {
  run(['config', 'format.pretty', '%G? of mine']);
  expect(run(['log', '-1'], COVERED)).toContain('Author: u');
  expect(run(['log', '-1'])).toBe('N of mine\n');
});
