/**
 * Runs random sed scripts that we call harmless with the sed of this machine. The lines of the input are commands, so that a script with an
 * `e` runs them. If sed makes a file or changes one, the reading is wrong.
 *
 *   APE_TEST_SED=PROGRAM APE_TEST_SCRIPTS=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/sed-script.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isHarmlessSedScript } from '../../src/core/effects/sed-script.ts';
import { type Random, seeded } from './random.ts';

/** The sed of macOS is another one; Homebrew installs GNU sed as gsed. */
const SED = process.env['APE_TEST_SED'] ?? (spawnSync('gsed', ['--version']).status === 0 ? 'gsed' : 'sed');
const SCRIPTS = Number(process.env['APE_TEST_SCRIPTS'] ?? 100_000);
const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);

/** Ends of an expression, beginnings of another, and what may be in both. */
const BRACKETS = [
  ...[
    '[',
    ']',
    '[]',
    '[^]',
    '[^',
    '[]]',
    '[[]',
    '[a]',
    '[^a]',
    '[a',
    '[]a',
    '[[.].]',
    '[[.',
    '.]',
    '[[=]=]',
    '[[=',
    '=]',
    '[[:alpha:]',
    ':]',
  ],
  ...['[[:alpha:]]', '[a\\]', '[\\]', '[\\n]', '[\\\\]', '[\\[', '\\]', '\\[', '[[:alpha:][]', '[]\\]'],
];
const ENDS = ['/', '/', '/', ',', '|', '/;', '/g;', '/p;', '\\/', '\\,', '\\\\', '\n', '/}', '/I', '/M', '\\\n'];
const COMMANDS = [
  ...[
    's/',
    's/',
    's,',
    's|',
    's[',
    's]',
    'y/',
    'y,',
    '/',
    '\\,',
    '\\|',
    '\\[',
    '\\]',
    '\\n',
    '1',
    '$',
    '1,/',
    '{',
    '}',
    ';',
    '!',
    ' ',
  ],
  ...[
    'e',
    'w f',
    's/e;',
    's/w f/',
    'r f',
    'W f',
    'a x',
    'i\\',
    'c x',
    'a\\',
    '#',
    '#n',
    'F',
    'p',
    'd',
    'N',
    'x',
    'b',
    't',
    'q5',
    'l',
    'z',
  ],
];
const TEXT = ['a', 't', 'B', 'x', '.', '*', '&', '\\(', '\\)', '^', '$', 'e', 'w', ' '];
const KINDS = [BRACKETS, ENDS, COMMANDS, TEXT];
const OPTIONS = ['-s', '-n', '-E', '-z', '--posix'];
/** Whole scripts, from which one piece is changed. */
const WHOLE = [
  's/@/x/;/@/s/e;/B/p',
  's/@/x/;/@/s/w f/g',
  's,@,x,;s,@,e,e',
  '/@/,/@/s/e;/B/p',
  '\\,@,s/x/;\\,@,s/e',
  'y/@/@/;s/a/e/e',
  's/@\\/@/;/e/;s/x/w f/',
  '/@/{s/@/x/;p};/@/w f',
  'a @;e\n/@/e',
  's/a/@/;s/@/e;/B/e',
  ':a@;w f',
  'ba@;e',
];

function randomScript(random: Random): string {
  const piece = (): string => random.pick(random.pick(KINDS));
  const few = (most: number): string => Array.from({ length: random.below(most + 1) }, piece).join('');
  if (random.chance(0.3)) return few(9);
  const fill = (): string => (random.chance(0.6) ? random.pick(BRACKETS) : '') + few(2);
  return random.pick(WHOLE).replace(/@/g, fill);
}

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ape-sed-'));
  mkdirSync(join(directory, 'd'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Case {
  readonly script: string;
  readonly option: string;
}

/**
 * Returns the scripts with which sed made a file. One bash starts all of them, because starting a process from this large one is slow. It
 * counts files after each script. A script that loops ends after a second of computing. The limit is not set for the whole bash: on a slow
 * machine, bash itself computes for a second.
 */
function doingMore(cases: readonly Case[]): readonly string[] {
  const each = `cd d || exit
    while (($#)); do
      (ulimit -t 1; exec "$SED" "$1" -e "$2" ../in) >/dev/null 2>&1 </dev/null
      files=(*); if [[ \${files[0]} != '*' ]]; then printf '%s\\0' "$1 $2"; rm -f -- *; fi
      shift 2
    done`;
  const found: string[] = [];
  for (let from = 0; from < cases.length; from += 500) {
    const words = cases.slice(from, from + 500).flatMap(({ option, script }) => [option, script]);
    const { stdout, status } = spawnSync('/bin/bash', ['-c', each, 'bash', ...words], {
      cwd: directory,
      env: { PATH: process.env['PATH'], SED, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    found.push(...stdout.split('\0').slice(0, -1));
  }
  return found;
}

const INPUT = 'touch ran #]/x/;/]\ntouch at #a/x/,B|[a]:]\ntouch B\n';

it('sed runs nothing and writes nothing with random scripts that we call harmless', () => {
  writeFileSync(join(directory, 'in'), INPUT);
  const random = seeded(SEED);
  const all = Array.from({ length: SCRIPTS }, () => randomScript(random));
  // A loop would only compute until its end.
  const harmless = [...new Set(all)].filter((script) => isHarmlessSedScript(script) && !/[:D]\w*[;\n}]/.test(script));
  const cases = harmless.map((script) => ({ script, option: random.pick(OPTIONS) }));
  expect(doingMore(cases)).toEqual([]);
  expect(cases.length).toBeGreaterThan(SCRIPTS / 100);
});

it('this comparison sees what sed runs and writes', () => {
  writeFileSync(join(directory, 'in'), INPUT);
  const scripts = [
    's/[]/x/;/]/s/e;/B/p',
    's/#[^]/x/;/B]/s/e;/B/p',
    's/[[.].]/x/;/]/s/e;/B/p',
    'e',
    'w f',
    '2e touch f',
  ];
  expect(doingMore(scripts.map((script) => ({ script, option: '-s' })))).toEqual(
    scripts.map((script) => `-s ${script}`),
  );
  expect(scripts.filter((script) => isHarmlessSedScript(script))).toEqual([]);
});
