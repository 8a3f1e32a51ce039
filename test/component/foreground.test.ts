/** Which program is in the foreground of a terminal, also if the first program of a pipeline has ended. */
import { execFileSync } from 'node:child_process';
import { spawn } from 'node-pty';
import { afterEach, expect, test } from 'vitest';
import { foregroundOf } from '../../src/session/host/foreground.ts';

const terminals: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill('SIGKILL');
});

/** Starts an interactive bash that runs the line, and returns its process id. */
function bashWith(line: string): number {
  const terminal = spawn('/bin/bash', ['--norc', '--noprofile', '-ic', line], {
    cwd: '/usr',
    env: { PATH: '/usr/bin:/bin' },
  });
  terminals.push(terminal);
  return terminal.pid;
}

const isReaped = (pid: number, name: string) =>
  !execFileSync('ps', ['-eo', 'ppid=,comm='], { encoding: 'utf8' }).includes(`${pid} ${name}`);

test.each([
  ['sleep 971', ['sleep', '971']],
  ['true | sleep 972', ['sleep', '972']],
  ['sleep 973 | cat', ['sleep', '973']],
])('%s', async (line, argv) => {
  const pid = bashWith(`${line}; :`);
  await expect
    .poll(() => isReaped(pid, 'true') && foregroundOf(pid), { timeout: 60_000 })
    .toMatchObject({ argv, isLeader: false });
});

test('bash itself', async () => {
  const pid = bashWith('while :; do read -r x; done');
  await expect.poll(() => foregroundOf(pid), { timeout: 60_000 }).toMatchObject({ cwd: '/usr', isLeader: true });
});
