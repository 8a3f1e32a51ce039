// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * If two environments have equal bound variables, bash does the same with a line in both. Lines and values are drawn; bash runs each line
 * in both environments. More lines, others:
 *   APE_TEST_BOUND_LINES=N APE_TEST_SEED=S npx vitest run --project fuzz test/fuzz/bound-values.test.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { boundBy } from '../../src/core/variables/bound-variables.ts';
import { type Random, seeded } from './random.ts';

const SEED = Number(process.env['APE_TEST_SEED'] ?? 1);
const LINES = Number(process.env['APE_TEST_BOUND_LINES'] ?? 400);
const NAMES = ['a', 'b', 'x', 'y', 'xy', 'yx', 'x1', 'p_x', 'z'];
const PLAIN_VALUES = ['', '1', '7', 'x', 'y', 'xy', 'x+1', 'z', 'p_x'];
const VALUES = [...PLAIN_VALUES, 'b[xy]', 'z[$(echo ran >&2)]', 'z[$x]', '$xy', 'echo $y', '${x}y', '*', '-v', 'let'];

const PLAIN_PIECES = ['$a', '$b', '"$a"', '${a}', 'x', 'y', '$1', '$c', '${c}', '${a-x}', '$((a))', '${!a}'];
/** Words in which a line uses variables. */
const PIECES = [
  ...PLAIN_PIECES,
  '$a',
  '$b',
  '"$a"',
  '${a}',
  '$a$b',
  '"$a$b"',
  '${a}"$b"',
  'x$b',
  '${a}y',
  'x',
  'y',
  'xy',
  "x'y'",
  '${a-x}',
  '${a%1}',
  '${a/1/y}',
  '${a:0:1}',
  '${a^}',
  '$(echo $a)',
  '`echo xy`',
  '$((a))',
  '${!a}',
  '${a:+x}',
  '$1',
  '$1$2',
  '$c',
  '${c}',
  '${d[0]}',
  '${!x*}',
  '$[x]',
  '{x,}y',
  "$'\\x78'y",
  '$"xy"',
];
const SETS = [
  '',
  '',
  'c=WORD; ',
  'c=WORD; c+=WORD; ',
  'd=(WORD WORD); c=${d[1]}; ',
  'printf -v c %s WORD WORD; ',
  'read c <<< WORD; ',
  'for c in WORD WORD; do :; done; ',
  'f() { c=$1$2; }; f WORD WORD; ',
  'IFS=_; for c in WORD; do :; done; ',
  'declare -u c=WORD; ',
  'set -- WORD WORD; ',
  'declare -i c=WORD; ',
  'declare -n c=WORD; ',
  'case WORD in (*) c=$_ ;; esac; ',
];
const USES = [
  '[[ WORD -eq 1 ]]; echo $?',
  '((WORD)); echo $?',
  'echo $((WORD + 1))',
  'let WORD; echo $?',
  'echo ${d[WORD]}',
  'q=abcdef; echo ${q:WORD:2}',
  'd[WORD]=1; echo "${!d[@]}"',
  'declare -i n=WORD; echo $n',
  'test -v WORD; echo $?',
  '[[ -v WORD ]]; echo $?',
  'n=WORD; echo ${!n}',
  'n=WORD; echo "${n@P}"',
  'eval "echo \\$"WORD',
  'eval WORD',
  'declare -n r=WORD; echo $r',
  'unset "d[WORD]"; echo $?',
  'printf -v "d[WORD]" 1; echo "${!d[@]}"',
  'read "d[WORD]" <<< 1; echo "${!d[@]}"',
  'for ((i = WORD; i < 2; i++)); do echo $i; done',
  'bash -c "echo \\$"WORD',
  "bash -c 'echo $(($1))' _ WORD",
  'trap "echo \\$"WORD EXIT',
  'echo WORD',
  'e${z}val "echo \\$"WORD',
  'printf "%s" "echo \\$" WORD | bash',
  'n=WORD; [[ $n -gt 0 ]]; echo $?',
  'echo $[WORD]',
];

const filled = (random: Random, text: string, pieces: readonly string[]): string =>
  text.replace(/WORD/g, () => random.pick(pieces));
const drawnLine = (random: Random): string => {
  const pieces = random.chance(0.7) ? PLAIN_PIECES : PIECES;
  return filled(random, random.pick(SETS) + random.pick(USES), pieces);
};

type Values = Readonly<Record<string, string>>;
const drawnValues = (random: Random): Values => {
  const values = random.chance(0.6) ? PLAIN_VALUES : VALUES;
  return Object.fromEntries(NAMES.flatMap((name) => (random.chance(0.2) ? [] : [[name, random.pick(values)]])));
};

const folder = mkdtempSync(join(tmpdir(), 'ape-bound-'));
afterAll(() => rmSync(folder, { recursive: true }));

function effectOf(line: string, values: Values): string {
  const env = { ...values, PATH: '/usr/bin:/bin', SHLVL: '1', LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', line, '_', 'x', 'y'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 20_000,
    input: '',
  });
  return `${status}\n${stdout}\n${stderr}`;
}

it('bash does the same with a line if the bound values are equal', { timeout: 300_000 }, () => {
  const random = seeded(SEED);
  let different = 0;
  for (let compared = 0; compared < LINES; ) {
    const [line, one, other] = [drawnLine(random), drawnValues(random), drawnValues(random)];
    const isBound = boundBy(['-c', line, '_', 'x', 'y'], false, (name) => one[name]);
    if (NAMES.every((name) => isBound(name))) continue;
    const second = Object.fromEntries([
      ...Object.entries(one).filter(([name]) => isBound(name)),
      ...Object.entries(other).filter(([name]) => !isBound(name)),
    ]);
    const effect = effectOf(line, one);
    expect({ line, one, second, effect: effectOf(line, second) }).toEqual({ line, one, second, effect });
    if (effect !== effectOf(line, other)) different += 1;
    compared += 1;
  }
  expect(different).toBeGreaterThan(LINES / 10); // a drawn environment often changes what a line does
});
