// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/**
 * Compares the commands that find runs, as our reading finds them in random lines, with the commands that a real find runs. Words of the
 * lines can be the end of a command, a primary or `{}` at run time.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsIn } from '../../src/core/reading/commands-in.ts';
import { parseLine } from '../../src/core/reading/parse-line.ts';
import { type Random, seeded } from './random.ts';

const PROGRAMS = ['p1', 'p2', 'p3'];
/** The values of the variables when the lines run. The reading knows none of them. */
const VALUES = { E: '', S: ';', P: '+', B: '{}', C: '}', X: '-exec', W: 'a b' };

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ape-find-'));
  mkdirSync(join(root, 'start/a/b'), { recursive: true });
  for (const name of ['start/+', 'start/x', 'start/a/y']) writeFileSync(join(root, name), '');
  mkdirSync(join(root, 'bin'));
  for (const name of PROGRAMS)
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\necho "$LINE \${0##*/}" >>"$OUT"\n`, { mode: 0o755 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const variable = (random: Random): string => `"$${random.chance(0.5) ? 'E' : random.pick(Object.keys(VALUES))}"`;

function word(random: Random): string {
  return random.pick([
    () => random.pick(['echo', 'x', '-n', '-name', '{}', 'a{}', '+', '\\;', "';'", '\\;x', '+x', '!', '-o']),
    () => variable(random),
    () => `${random.pick(['\\;', '+', '{}', '{', 'x', '-e', '-exec', './'])}${variable(random)}`,
    () => `${variable(random)}${random.pick(['\\;', '+', '{}', '}', 'x'])}`,
    () => '{}',
    () => `${random.pick(['\\;', '{} +', '{}', '+'])}${variable(random)} -exec ${random.pick(PROGRAMS)}`,
  ])();
}

function command(random: Random): string {
  const words = Array.from({ length: random.below(4) }, () => word(random));
  const end = random.pick(['\\;', '\\;', '\\;', '{} +', '{} +', ';', '+', '']);
  return [random.pick(['-exec', '-exec', '-ok', '-execdir', '-okdir']), random.pick(PROGRAMS), ...words, end].join(' ');
}

function line(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () =>
    random.pick([
      () => command(random),
      () => command(random),
      () =>
        random.pick([
          '-type f',
          '-name x',
          "-name '*'",
          '-o',
          '!',
          '\\( -name a \\)',
          '-true',
          '-maxdepth 1',
          '-print',
        ]),
      () => random.pick(['-fprintf', '-newer', '-name', '-path']) + ` ${word(random)}`,
      () => variable(random),
    ])(),
  );
  return ['find', random.pick(['.', 'a', '-H .', '. a', '', './+']), ...parts].join(' ');
}

/** The programs that find can run in this line; null if the reading is opaque. */
function predicted(text: string): ReadonlySet<string> | null {
  const { commands, opaque } = commandsIn(parseLine(text, parse), parse);
  if (opaque.length > 0) return null;
  return new Set(commands.map(({ command: { words } }) => (words[0]?.kind === 'literal' ? words[0].value : '?')));
}

/** Runs the lines, and returns a row `NUMBER PROGRAM` for each program that ran. find gets `y` for each question of `-ok`. */
function run(lines: readonly string[]): readonly string[] {
  const out = join(root, 'out');
  writeFileSync(out, '');
  const calls = lines.map((text, at) => `(LINE=${at}; export LINE; ${text}\n) <yes`).join('\n');
  writeFileSync(join(root, 'lines'), `cd start; exec >/dev/null 2>&1\n${calls}\nexit 0\n`);
  writeFileSync(join(root, 'start/yes'), 'y\n'.repeat(100));
  execFileSync('bash', ['--norc', join(root, 'lines')], {
    cwd: root,
    env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, OUT: out, ...VALUES },
  });
  return readFileSync(out, 'utf8').split('\n').slice(0, -1);
}

const LINES = Number(process.env['APE_TEST_LINES'] ?? 1_500);

it('find runs no program that the reading does not name', () => {
  const random = seeded(Number(process.env['APE_TEST_SEED'] ?? 20_261_201));
  const lines = Array.from({ length: LINES }, () => line(random));
  const known = lines.flatMap((text) => {
    const programs = predicted(text);
    return programs === null ? [] : [{ text, programs }];
  });
  const ran = run(known.map(({ text }) => text));
  const faults = ran.flatMap((row) => {
    const [at = '', program = ''] = row.split(' ');
    const { text, programs } = known[Number(at)] ?? {};
    return programs?.has(program) === true ? [] : [`${text}: ${program}`];
  });
  expect([...new Set(faults)].slice(0, 20)).toEqual([]);
  expect(new Set(ran).size).toBeGreaterThan(LINES / 40);
});
