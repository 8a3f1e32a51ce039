/** What the C programs inherit from their caller, besides the environment: open descriptors, and the signal mask. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DIST } from '../fixtures/programs.ts';
import { removeInstallation } from '../fixtures/remove-installation.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ape-inherited-'));
});
afterEach(() => removeInstallation(scratch));

it.each([
  ['no installation', ''],
  ['an installation', '--installation=APES_HOME=$PWD/apes'],
  ['a variable', '--variable=APES_HOME=$PWD/apes'],
])('a server keeps no descriptor of its caller, whose call names %s', async (_, words) => {
  const line = `APES_HOME=$PWD/apes exec '${DIST}/bin/apes' ${words} serve --port 0`;
  const server = spawn('/bin/sh', ['-c', line], {
    cwd: scratch,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'close');
  const caller = server.stdio[3] as Readable;
  try {
    await once(caller.resume(), 'end', { signal: AbortSignal.timeout(20_000) });
    expect(server.exitCode).toBeNull();
  } finally {
    caller.destroy();
    server.kill('SIGTERM');
    await ended;
  }
});

it('deadline ends its program in time, even if its caller has blocked SIGALRM', () => {
  const blocked = `use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGALRM)); exec @ARGV`;
  const { status } = spawnSync('perl', ['-e', blocked, join(DIST, 'bin/deadline'), '1', 'sleep', '20'], {
    timeout: 10_000,
    killSignal: 'SIGKILL',
  });
  expect(status).toBe(124);
});
