/**
 * Gives random refspecs to the git of this machine, and compares the refs that it changes with the refs that we read. A ref that git changes and
 * that we do not name is a fault.
 *
 *   APE_TEST_REFSPECS=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/refspec.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '../../src/core/effects/permission.ts';
import { quoteWord } from '../../src/core/text/quote.ts';
import { effectsOfLine } from '../core/rule-effects.ts';
import { seeded } from './random.ts';

const COUNT = Number(process.env['APE_TEST_REFSPECS'] ?? 40);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);

let directory: string;

/** Runs bash in the scratch directory. */
function bash(text: string, words: readonly string[]): string {
  const who = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'a'],
      [`GIT_${role}_EMAIL`, 'a@example.com'],
    ]),
  );
  const { stdout, stderr, status } = spawnSync('/bin/bash', ['-ec', text, 'bash', ...words], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1', ...who },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-refspec-'));
  // `there` has refs that `here` does not have, refs in another state, and refs that git deletes with an option.
  const made = `
    git init -q -b main here; git init -q --bare -b main there; cd here
    git remote add origin ../there
    git commit -q --allow-empty -m 1; echo a >f; git add f; git commit -q -m 2
    git branch old; git branch x; git tag v1
    git push -q origin main old x v1; git push -q origin main:far
    cd ..; git clone -q there third; cd third; git commit -q --allow-empty -m theirs
    git push -q origin HEAD:refs/heads/far HEAD:refs/heads/far2; cd ../here
    git commit -q --allow-empty -m 3; git branch -f old; git tag v2; git branch new; git checkout -q -b now
    git config push.default current; git config gc.auto 0; git config maintenance.auto false
  `;
  bash(made, []);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXED = [
  ...[
    ':',
    '+:',
    ':x',
    '+:x',
    ':far',
    'far:',
    'main:',
    'main',
    '+main',
    'HEAD',
    '@',
    '+@',
    'HEAD:',
    '@:x',
    'main:y',
    'HEAD:f:refs/tags/y',
  ],
  ...[
    'refs/*:refs/*',
    '+refs/heads/*:refs/heads/*',
    'refs/heads/n*',
    '^refs/heads/x',
    'HEAD^:y',
    'v2',
    'v2:refs/heads/y',
    'tag',
    '+',
    '',
  ],
  ...[
    'refs/heads/main:refs/heads/x',
    ':refs/tags/v1',
    'now:main',
    '@{-1}',
    'main@{0}:y',
    ':main:x',
    'heads/new',
    'HEAD~1:refs/heads/x',
  ],
];
const PIECES = [
  ':',
  ':',
  '+',
  '^',
  '*',
  '@',
  'HEAD',
  'main',
  'x',
  'far',
  'v1',
  'v2',
  'refs/heads/',
  'refs/tags/',
  '~1',
  'tag',
  'now',
  'f',
];

function randomCall(at: number): readonly string[] {
  const random = seeded(SEED * 7919 + at);
  const word = (): string =>
    random.chance(0.5)
      ? random.pick(FIXED)
      : Array.from({ length: 1 + random.below(5) }, () => random.pick(PIECES)).join('');
  const options = random.chance(0.2)
    ? [random.pick(['--tags', '--all', '--prune', '--follow-tags', '-f', '--mirror'])]
    : [];
  return [...options, 'origin', ...Array.from({ length: random.below(3) }, word)];
}

interface Change {
  readonly ref: string;
  readonly isDeleted: boolean;
}

/** Runs each call in copies of the repositories. Returns which refs each call changes in the repository `changed`. */
function changesOf(
  verb: string,
  calls: readonly (readonly string[])[],
  changed: 'here' | 'there',
): readonly (readonly Change[])[] {
  const each = `
    git -C ${changed} for-each-ref --format='%(refname) %(objectname)' >before
    for call; do
      rm -rf run; mkdir run; cp -a here there run
      eval "git -C run/here ${verb} $call" >/dev/null 2>&1 </dev/null || true
      git -C run/${changed} for-each-ref --format='%(refname) %(objectname)' | diff before - || true
      echo =
    done`;
  const lines = calls.map((words) => words.map(quoteWord).join(' '));
  const answers = bash(each, lines).split('=\n').slice(0, -1);
  expect(answers).toHaveLength(calls.length);
  return answers.map((answer) => {
    const names = (sign: string): readonly string[] =>
      answer.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.split(' ')[1] ?? ''] : []));
    const after = names('>');
    const gone = names('<').filter((ref) => !after.includes(ref));
    return [...after.map((ref) => ({ ref, isDeleted: false })), ...gone.map((ref) => ({ ref, isDeleted: true }))];
  });
}

/** Whether the resource is the ref, by one of the names that git understands (gitrevisions(7)). `now` is the current branch. */
function isNamed({ ref, isDeleted }: Change, { kind, access, value, isExact }: Resource): boolean {
  if (kind !== 'ref' || access !== (isDeleted ? 'delete' : 'write')) return false;
  if (!isExact) return value === '';
  return (
    [value, `refs/${value}`, `refs/heads/${value}`, `refs/tags/${value}`].includes(value === 'HEAD' ? value : ref) ||
    (value === 'HEAD' && ref === 'refs/heads/now')
  );
}

function faultsOf(
  verb: string,
  changed: 'here' | 'there',
  isOwn: (change: Change) => boolean,
): { faults: readonly string[]; changes: number } {
  const calls = [
    ['origin'],
    ...FIXED.map((word) => ['origin', word]),
    ...Array.from({ length: COUNT }, (_, at) => randomCall(at)),
  ];
  const read = calls.flatMap((words) => {
    const line = `git ${verb} ${words.map(quoteWord).join(' ')}`;
    const effects = effectsOfLine(line);
    return effects.kind === 'understood' ? [{ words, line, resources: effects.permission.resources }] : [];
  });
  const all = changesOf(
    verb,
    read.map(({ words }) => words),
    changed,
  );
  const counted = all.map((changes) => changes.filter((change) => !isOwn(change)));
  return {
    changes: counted.flat().length,
    faults: read.flatMap(({ line, resources }, at) =>
      (counted[at] ?? [])
        .filter((change) => !resources.some((resource) => isNamed(change, resource)))
        .map(({ ref, isDeleted }) => `${line}: ${isDeleted ? 'deletes' : 'writes'} ${ref}`),
    ),
  };
}

it('git push changes no ref that we do not name', () => {
  const { faults, changes } = faultsOf('push', 'there', () => false);
  expect(faults).toEqual([]);
  expect(changes).toBeGreaterThan(30);
});

it('git fetch changes no ref that we do not name, except remote branches and the tags of what it fetches', () => {
  const isOwn = ({ ref, isDeleted }: Change): boolean => /^refs\/(?:remotes|tags)\//.test(ref) && !isDeleted;
  const { faults, changes } = faultsOf('fetch', 'here', isOwn);
  expect(faults).toEqual([]);
  expect(changes).toBeGreaterThan(4);
});
