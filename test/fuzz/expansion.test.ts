/**
 * Compares what our reading says about a random word (its exact text, or how many words it becomes and how they begin) with the words to
 * which bash expands it. What we say may be wider than what bash does; if it is narrower, that is a fault.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import type { Word } from '../../src/core/reading/reading.ts';
import { type Spelling, writtenText } from '../../src/core/reading/spelling.ts';
import { mayMatch } from '../../src/core/text/name-pattern.ts';
import { type Random, seeded } from './random.ts';

const PLAIN = [
  '{',
  '}',
  '{',
  '}',
  ',',
  '.',
  '..',
  '[',
  ']',
  '!',
  '^',
  '-',
  'a',
  'x',
  '1',
  '*',
  '?',
  '~',
  '@',
  '+',
  '=',
];
const QUOTES = ['\\', "'", '"', '$x', '(', ')'];
/** Longer pieces: a random sequence of characters rarely has nested quotes, or a sequence with a step. */
const LONGER = [
  ...[
    '{a}',
    '{a,',
    '{,',
    ',-1}',
    ',x}',
    '..x}',
    '{1..',
    '..3}',
    '{x..',
    '..2}',
    '{-01..1}',
    '{a..c..1}',
    '{}',
    '${',
    '$y',
  ],
  ...[
    '[x,',
    ']}',
    ',]}',
    '[!a]',
    '[]',
    '[^',
    '[[:',
    ':]',
    '[=',
    '=]',
    '[a-',
    '!(',
    '@(',
    '\\\n',
    '"$x"',
    "''",
    '""',
    "$'a'",
    "$'",
  ],
  ...[
    '"${x:-"',
    '"}"',
    '${x:-',
    '$[1',
    '"`inner "',
    '"`"',
    '`inner ',
    '`',
    '"$(inner "',
    '")"',
    '$(inner ',
    '<(true ',
    '$((1',
  ],
];
/** The pieces for words of braces and brackets only. */
const NESTED = ['{', '}', '{a}', '{a,', ',', '..', '[', ']', '[x,', ']}', ',-1}', 'a', '-1', '1', '!', '*', '{}'];
/** The pieces for words like assignments, in which bash expands a tilde after `=` and `:`. */
const ASSIGNED = [
  ...[
    'a',
    'a=',
    'a=',
    'a+=',
    'x[1]=',
    '=',
    ':',
    '~',
    ':~',
    '=~',
    ':~',
    ':~/a',
    '/a',
    '-',
    '1',
    '+',
    '\\',
    '\\\n',
    "'a'",
    '"a"',
  ],
  ...[
    "':'",
    '":"',
    "''",
    '"="',
    "'~'",
    '"',
    "'",
    '$x',
    '"$y"',
    '*',
    '[a:~]',
    '{a,',
    ',a}',
    '{',
    '}',
    "$'a'",
    '$(true)',
    '~root',
    '~+',
  ],
];
const NAMES = [
  ...'axX1-,.[]{}!^=~+@*?\\\'"',
  ...'ax1-,][{}!^'.split('').flatMap((one) => [...'ax1-,][{}!^'].map((two) => one + two)),
];

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-expansion-')));
  for (const name of NAMES) if (name !== '.') writeFileSync(join(directory, name), '');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Each word is made from a few pieces only, so that pieces that belong together often meet. */
function randomWord(random: Random, isAssigned = false): string {
  const isNested = random.chance(0.3);
  const few = Array.from({ length: 3 + random.below(5) }, () => {
    if (isAssigned) return random.pick(ASSIGNED);
    if (isNested) return random.pick(NESTED);
    const kind = random.below(10);
    return random.pick(kind < 6 ? PLAIN : kind < 7 ? QUOTES : LONGER);
  });
  const word = Array.from({ length: 2 + random.below(9) }, () => random.pick(few)).join('');
  // More braces, or sequences of great numbers, become too many words.
  return /(?:\{.*){5}|(?:\.\..*){3}|\d\d\d/s.test(word) ? randomWord(random, isAssigned) : word;
}

/**
 * @property word   the word of `args`
 * @property inners the words of each `inner`
 */
interface Reading {
  readonly source: string;
  readonly word: Word;
  readonly inners: readonly (readonly Word[])[];
}

/** Returns null if the line can only be approved by its bytes, or is not one `args` with this one word. */
function readingOf(source: string): Reading | null {
  const { commands, opaque } = commandsIn(parseLine(`args ${source}`, parse), parse);
  const outer = commands.filter(({ command }) => command.within.length === 0);
  const [, word, ...more] = outer[0]?.command.words ?? [];
  if (opaque.length > 0 || outer.length !== 1 || word === undefined || more.length > 0) return null;
  const inners = commands
    .filter(({ command }) => command.words[0]?.source === 'inner')
    .map(({ command }) => command.words.slice(1));
  return { source, word, inners };
}

/**
 * @property words  null: bash refuses the word
 * @property inners the arguments of each call of `inner`
 */
interface Expanded {
  readonly words: readonly string[] | null;
  readonly inners: readonly (readonly string[])[];
}

/**
 * Expands each word by bash; null for a word that bash refuses. bash ends at some of these words, so it is started again for the words after
 * them. The only line feed in a word follows a backslash, so a word never starts anything but `args`.
 */
function expanded(words: readonly string[], options: string): readonly Expanded[] {
  const found: Expanded[] = [];
  while (found.length < words.length) {
    found.push(...expandedTillEnd(words.slice(found.length), options));
    if (found.length < words.length) found.push({ words: null, inners: [] });
  }
  return found;
}

function expandedTillEnd(words: readonly string[], options: string): readonly Expanded[] {
  const script = `
    x='p -q' y= HOME=/h
    args() { while (($#)); do printf '+%s\\0' "$1" >&3; shift; done; }
    inner() { printf '%s\\0' '(' >&3; while (($#)); do printf '+%s\\0' "$1" >&3; shift; done; printf '%s\\0' ')' >&3; }
    ${options}
    while IFS= read -r -d '' word; do
      eval "args $word" || printf -- '-\\0' >&3
      printf '=\\0' >&3
    done`;
  const ran = spawnSync('bash', ['--norc', '-c', script], {
    cwd: directory,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    input: words.map((word) => `${word}\0`).join(''),
    maxBuffer: 1 << 29,
    timeout: 60_000,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
  if (ran.error !== undefined) throw ran.error;
  const found: Expanded[] = [];
  let all: string[] = [];
  let open = all;
  let inners: string[][] = [];
  let isRefused = false;
  for (const row of (ran.output[3] ?? '').toString().split('\0').slice(0, -1)) {
    if (row === '=') {
      found.push({ words: isRefused ? null : all, inners });
      [all, inners, isRefused] = [[], [], false];
      open = all;
    } else if (row === '-') isRefused = true;
    else if (row === '(') {
      open = [];
      inners.push(open);
    } else if (row === ')') open = all;
    else open.push(row.slice(1));
  }
  return found;
}

function faultOf(word: Word, bash: readonly string[]): string | null {
  if (word.kind === 'literal') return bash.length === 1 && bash[0] === word.value ? null : `not the text ${word.value}`;
  if (word.isOne && bash.length !== 1) return 'not one word';
  const isOfNames = word.spellings !== undefined || (word.why === 'glob' && word.prefix !== '');
  const withPrefix = isOfNames ? bash : bash.slice(0, 1);
  if (!withPrefix.every((each) => each.startsWith(word.prefix))) return `does not begin with ${word.prefix}`;
  const { spellings } = word;
  if (spellings === undefined) return null;
  const odd = bash.find((each) => !spellings.some((spelling) => mayBecome(spelling, each)));
  return odd === undefined ? null : `${odd} has no spelling`;
}

function mayBecome(spelling: Spelling, text: string): boolean {
  const rest = spelling.isHome ? (text.startsWith('/h') ? text.slice(2) : null) : text;
  return rest !== null && (writtenText(spelling) === rest || (!spelling.isHome && mayMatch(spelling.pieces, rest)));
}

/** Whether the words of an inner command may become these arguments. */
const fits = (words: readonly Word[], called: readonly string[]): boolean =>
  words.every((word) => word.kind === 'literal')
    ? words.length === called.length && words.every((word, at) => faultOf(word, [called[at] ?? '']) === null)
    : true;

const WORDS = Number(process.env['APE_TEST_WORDS'] ?? 10_000);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 20_261_130);

it.each([
  ['without extended globs', 'shopt -u extglob'],
  ['with extended globs', 'shopt -s extglob'],
])('%s, no word becomes anything that our reading excludes', (_, options) => {
  const random = seeded(SEED);
  const words = [...new Set(Array.from({ length: WORDS }, () => randomWord(random)))];
  const readings = words.map(readingOf).filter((each) => each !== null);
  const bash = expanded(
    readings.map(({ source }) => source),
    options,
  );
  const faults: string[] = [];
  const counts = { literal: 0, one: 0, names: 0, inner: 0 };
  for (const [at, { source, word, inners }] of readings.entries()) {
    const found = bash[at];
    const odd = found?.inners.find((called) => !inners.some((each) => fits(each, called)));
    if (odd !== undefined) faults.push(`${JSON.stringify(source)}: runs inner ${JSON.stringify(odd)}`);
    if (found?.words == null) continue;
    if (word.kind === 'literal') counts.literal += 1;
    else if (word.spellings !== undefined) counts.names += 1;
    else counts.one += Number(word.isOne);
    counts.inner += found.inners.length;
    const fault = faultOf(word, found.words);
    if (fault !== null) faults.push(`${JSON.stringify(source)}: ${JSON.stringify(found.words.slice(0, 8))} ${fault}`);
  }
  expect(faults.sort((one, other) => one.length - other.length).slice(0, 20)).toEqual([]);
  expect(counts.literal).toBeGreaterThan(WORDS / 5);
  expect(counts.names).toBeGreaterThan(WORDS / 20);
  expect(counts.one).toBeGreaterThan(WORDS / 100);
  expect(counts.inner).toBeGreaterThan(WORDS / 500);
});

it('bash expands no tilde in a word like an assignment that our reading takes for a text', () => {
  const random = seeded(SEED + 1);
  const words = [
    ...new Set(Array.from({ length: WORDS }, () => random.pick(['', 'a=', 'a=/a']) + randomWord(random, true))),
  ];
  const readings = words.map(readingOf).filter((each) => each !== null);
  const bash = expanded(
    readings.map(({ source }) => source),
    '',
  );
  const faults = readings.flatMap(({ source, word }, at) => {
    const found = bash[at]?.words;
    const fault = found == null ? null : faultOf(word, found);
    return fault === null ? [] : [`${JSON.stringify(source)}: ${JSON.stringify(found?.slice(0, 8))} ${fault}`];
  });
  expect(faults.sort((one, other) => one.length - other.length).slice(0, 20)).toEqual([]);
  expect(readings.filter(({ word }) => word.kind === 'literal').length).toBeGreaterThan(WORDS / 10);
});

/** The value that bash gives to `X` by `X=WORD`; null: our reading does not take the line for this one assignment. */
function assignedWord(source: string): Reading | null {
  const { commands, opaque } = commandsIn(parseLine(`X=${source}`, parse), parse);
  const outer = commands.filter(({ command }) => command.within.length === 0);
  const [assigned, ...more] = outer[0]?.command.assignments ?? [];
  if (opaque.length > 0 || outer.length !== 1 || outer[0]?.command.words.length !== 0) return null;
  return assigned?.value == null || more.length > 0 ? null : { source, word: assigned.value, inners: [] };
}

it('bash gives each variable the value that our reading takes for a text', () => {
  const random = seeded(SEED + 2);
  const words = [...new Set(Array.from({ length: WORDS }, () => randomWord(random, true)))];
  const readings = words
    .map(assignedWord)
    .filter((each) => each !== null)
    // bash expands no braces and no globs here. Our reading does not make this difference.
    .filter(({ word }) => word.kind === 'literal' || word.why === 'tilde');
  const bash = expanded(
    readings.map(({ source }) => `; X=${source}; args "$X"`),
    '',
  );
  const faults = readings.flatMap(({ source, word }, at) => {
    const found = bash[at]?.words;
    const fault = found == null ? null : faultOf(word, found);
    return fault === null ? [] : [`${JSON.stringify(source)}: ${JSON.stringify(found)} ${fault}`];
  });
  expect(faults.sort((one, other) => one.length - other.length).slice(0, 20)).toEqual([]);
  expect(readings.filter(({ word }) => word.kind === 'literal').length).toBeGreaterThan(WORDS / 10);
});
