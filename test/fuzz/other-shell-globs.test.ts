/**
 * Expands random globs in bash and in the shell of this machine that is called `sh`: dash on Debian. If we read `sh -c 'p GLOB'`, `sh` must
 * choose no file that bash does not choose.
 *
 *   APE_TEST_WORDS=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/other-shell-globs.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { quoteWord } from '../../src/core/text/quote.ts';
import { seeded } from './random.ts';

const WORDS = Number(process.env['APE_TEST_WORDS'] ?? 6000);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);
const NAMES = [
  'a',
  'b',
  'z',
  'A',
  '0',
  '^',
  '!',
  '-',
  ']',
  '[',
  ':',
  '=',
  '\\',
  'é',
  'ab',
  'a^',
  '^a',
  'a]',
  'aé',
  'éb',
  '[^a]',
  'abc',
  'a:]',
];
const PIECES = [
  ...[
    '[',
    '[',
    ']',
    ']',
    '^',
    '!',
    '-',
    'a',
    'b',
    '?',
    '*',
    'é',
    '\\\\',
    '\\[',
    '\\]',
    '"["',
    "'^'",
    '0',
    '=',
    ':',
    '.',
  ],
  ...[
    '[^a]',
    '[!a]',
    '[ab]',
    '[a-z]',
    '[[:alpha:]]',
    '[[=a=]]',
    '[[.a.]]',
    '[]a]',
    '[!]a]',
    '[[:x:]a]',
    '[:alpha:]',
    '[a-é]',
    '[a[b]',
  ],
];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-globs-'));
  for (const name of NAMES) writeFileSync(join(directory, name), '');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the names to which the shell expands each word. */
function expanded(shell: string, words: readonly string[]): readonly (readonly string[])[] {
  const each = 'for word; do eval "printf \'%s\\\\n\' $word"; echo //; done';
  const { stdout } = spawnSync(shell, ['-c', each, shell, ...words], {
    cwd: directory,
    env: { LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  });
  return stdout
    .split('//\n')
    .slice(0, -1)
    .map((text) => text.split('\n').slice(0, -1));
}

const isRead = (word: string): boolean =>
  commandsIn(parseLine(`sh -c ${quoteWord(`p ${word}`)}`, parse), parse).opaque.length === 0;

it('sh chooses no file by a glob that we read, but bash does not choose', () => {
  const random = seeded(SEED);
  const all = Array.from({ length: WORDS }, () =>
    Array.from({ length: 1 + random.below(5) }, () => random.pick(PIECES)).join(''),
  );
  const words = ['[^a]', '[!a]', '??', '[^a[b]', '[[=a=]]', ...new Set(all)].filter(
    (word) => /[*?[]/.test(word) && isRead(word),
  );
  const inBash = expanded('/bin/bash', words);
  const inSh = expanded('/bin/sh', words);
  expect([inBash.length, inSh.length]).toEqual([words.length, words.length]);
  const faults = words.flatMap((word, at) => {
    const more = (inSh[at] ?? []).filter((name) => NAMES.includes(name) && !(inBash[at] ?? []).includes(name));
    return more.length === 0 ? [] : [`${word}: ${more.join(' ')}`];
  });
  expect(faults).toEqual([]);
  expect(words.length).toBeGreaterThan(WORDS / 20);
});
