/**
 * Compares the directories that `mkdir -p` really makes for random words of names, dots, slashes and braces with the writes that we require.
 *
 *   APE_TEST_WORDS=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/made-parents.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assessLine } from '../../src/core/effects/assess-line.ts';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { isAtOrBelow } from '../../src/core/text/path.ts';
import { lookupsOf } from '../../src/gate/facts/look-up.ts';
import { allRules } from '../core/rule-effects.ts';
import { seeded } from './random.ts';

const WORDS = Number(process.env['APE_TEST_WORDS'] ?? 400);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);
const PIECES = [
  ...[
    'a',
    'b',
    'q',
    '.',
    '.',
    '..',
    '/',
    '/',
    '/',
    '{',
    '}',
    ',',
    '{.,',
    ',.}',
    '{a,b}',
    '{a/.,q}',
    './',
    '../',
    '/..',
    '/.',
    '{1..2}',
  ],
  ...["'.'", '\\.', '"/.."', 'a/.', '{x,', '{..,', '/a}', '{,.}', '*', '.*', '[.]', '?'],
];
/** Words with `..` begin here, so that all of them stay in the scratch directory. */
const START = 'd1/d2/d3/d4/d5/d6/d7/d8/d9/here';

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-parents-')));
  mkdirSync(join(directory, START, 'b/q'), { recursive: true });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the writes that the line requires, or null if only its exact bytes can be approved. */
function writesOf(line: string): readonly { readonly value: string; readonly isExact: boolean }[] | null {
  const cwd = join(directory, START);
  const lookups = lookupsOf({
    cwd,
    entries: new Map([
      ['HOME', directory],
      ['PATH', '/usr/bin:/bin'],
    ]),
  });
  const { requiredPermissions } = assessLine(commandsIn(parseLine(line, parse), parse), 'agrees', {
    cwd,
    rules: allRules,
    lookups,
  });
  return (
    requiredPermissions
      ?.flatMap(({ permission }) => permission.resources)
      .filter(({ kind, access }) => kind === 'path' && access === 'write') ?? null
  );
}

/** Runs each line in a copy of the scratch directory, and returns the directories that it makes there. */
function madeBy(lines: readonly string[]): readonly (readonly string[])[] {
  const each = `
    shopt -s dotglob globstar nullglob
    for line; do
      mkdir -p ${START}/b/q
      (cd ${START} && eval "$line") >/dev/null 2>&1 </dev/null
      all=(**/); printf '%s\\n' "\${all[@]%/}" =
      rm -rf ./*
    done`;
  const { stdout } = spawnSync('/bin/bash', ['-c', each, 'bash', ...lines], {
    cwd: directory,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    encoding: 'utf8',
  });
  mkdirSync(join(directory, START, 'b/q'), { recursive: true });
  const before = `${START}/b/q/`;
  return stdout
    .split('=\n')
    .slice(0, -1)
    .map((text) => text.split('\n').filter((path) => path !== '' && !before.startsWith(`${path}/`)));
}

it('the required writes contain each directory that mkdir -p makes', () => {
  const random = seeded(SEED);
  const words = [
    '{a/.,q}./b',
    'a{/.,q}./c',
    'a/{.,b}./c',
    ...Array.from({ length: WORDS }, () =>
      Array.from({ length: 2 + random.below(6) }, () => random.pick(PIECES)).join(''),
    ),
  ];
  const read = [...new Set(words)]
    .filter((word) => !/^(?:['"\\]|\{[^}]*,)?\/|,\/|\{\//.test(word) && (word.match(/\.\./g) ?? []).length < 8)
    .flatMap((word) => {
      const line = `mkdir -p ./${word}`;
      const writes = writesOf(line);
      return writes === null ? [] : [{ line, writes }];
    });
  const made = madeBy(read.map(({ line }) => line));
  expect(made).toHaveLength(read.length);
  const faults = read.flatMap(({ line, writes }, at) =>
    (made[at] ?? [])
      .map((path) => join(directory, path))
      .filter((path) => !writes.some(({ value, isExact }) => (isExact ? value === path : isAtOrBelow(path, value))))
      .map((path) => `${line} makes ${path.slice(directory.length)}`),
  );
  expect(faults).toEqual([]);
  const narrow = read.filter(({ writes }) => !writes.some(({ value }) => value === '/'));
  expect(narrow.length).toBeGreaterThan(WORDS / 10);
});
