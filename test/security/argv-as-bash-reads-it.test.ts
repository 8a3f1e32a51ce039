/** An approver is shown what bash would run for its arguments. The tests compare our reading of many argument lists with what bash runs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readInvocation } from '../../src/core/grant/invocation.ts';

let work = '';
const OPERANDS = ['one', 'two', 'errexit', 'extglob'];
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'argv-'));
  mkdirSync(join(work, 'bin'));
  for (const name of OPERANDS) {
    writeFileSync(join(work, name), `echo file:${name}; exit`);
    writeFileSync(join(work, 'bin', name), `#!/bin/sh\necho command:${name}\n`, { mode: 0o755 });
  }
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Returns what bash ran first: `command:one`, `file:one` or `stdin`; null if it ran nothing. */
function bashRuns(args: readonly string[]): string | null {
  const run = spawnSync('/bin/bash', args, {
    cwd: work,
    env: { PATH: `${work}/bin:/usr/bin:/bin`, HOME: work },
    input: 'echo stdin; exit\n',
    encoding: 'utf8',
    timeout: 60_000,
  });
  return /^(?:(?:command|file):\w+|stdin)$/m.exec(run.stdout)?.[0] ?? null;
}

function weShow(args: readonly string[]): string | null {
  const read = readInvocation(['bash', ...args]);
  if (!read.ok) return null;
  if (read.value.kind === 'command') return `command:${read.value.text}`;
  if (read.value.kind === 'script') return `file:${read.value.path}`;
  return read.value.kind === 'stdin' ? 'stdin' : null;
}

const NAMED: readonly (readonly string[])[] = [
  ['-c', '+', 'one'],
  ['+c', 'one'],
  ['+s', 'one'],
  ['-e+c', 'one'],
  ['+ec', 'one'],
  ['-rcfile', 'one', 'two'],
  ['-rcfile', 'one', '-c', 'two'],
  ['-init-file', 'one', '-c', 'two'],
  ['-norc', 'errexit', 'one'],
  ['-noprofile', 'one', 'two', 'errexit'],
  ['-posix', 'errexit', 'one'],
  ['-restricted', 'one'],
  ['-verbose', 'errexit', 'one'],
  ['-login', 'one'],
  ['-debug', 'one'],
  ['-c', '--', 'one'],
  ['-c', '-', 'one'],
  ['-', '-c', 'one'],
  ['--', '-c', 'one'],
  ['-c', '-o', 'errexit', 'one'],
  ['-oc', 'errexit', 'one'],
  ['-Oo', 'extglob', 'errexit', 'one'],
  ['-oOc', 'errexit', 'extglob', 'one'],
  ['-s', '-c', 'one'],
  ['-sc', 'one', 'two'],
  ['-c', '-s', 'one'],
  ['-o', 'errexit'],
  ['--rcfile', 'one', '-i', '-c', 'two'],
  ['-c', '', 'one'],
  ['', 'one'],
];

test.each(NAMED.map((args) => [args.join(' '), args] as const))(
  'bash %s: what runs is what would be shown',
  (_, args) => {
    const ran = bashRuns(args);
    const shown = weShow(args);
    // ape-shell may refuse any arguments, but must never show anything that bash does not run.
    if (shown !== null && ran !== null) expect(ran).toBe(shown);
  },
);

test('what runs is what would be shown, for a thousand combinations of options and operands', () => {
  const words = [
    '-c',
    '-s',
    '-e',
    '+e',
    '-o',
    '-O',
    '-x',
    '+x',
    '-ec',
    '-co',
    '-u',
    '--',
    '-',
    '+',
    '--norc',
    '--posix',
  ];
  const all = [
    ...words,
    ...OPERANDS,
    ...OPERANDS,
    '-l',
    '+B',
    '-B',
    '--noprofile',
    '--rcfile',
    '-rcfile',
    '-posix',
    '+c',
    '-Oc',
  ];
  let seed = 12_345;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const wrong: string[] = [];
  let compared = 0;
  for (let round = 0; round < 1000; round++) {
    const args = Array.from({ length: 2 + next(4) }, () => all[next(all.length)] ?? '');
    const shown = weShow(args);
    if (shown === null) continue;
    const ran = bashRuns(args);
    if (ran === null) continue;
    compared++;
    if (ran !== shown) wrong.push(`${args.join(' ')}: shown ${shown}, ran ${ran}`);
  }
  expect(wrong).toEqual([]);
  expect(compared).toBeGreaterThan(100);
}, 120_000);
