/** Holds and running commands are not forgotten while their files, or /proc, cannot be read for a moment (EMFILE). */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { keepHold, keptHold, keptHolds } from '../../src/session/hold/kept-holds.ts';
import { ProcessHold } from '../../src/session/hold/process-hold.ts';
import { isGone, readProcess } from '../../src/session/hold/processes.ts';
import { RunningCommands, startedCommand } from '../../src/session/hold/running-commands.ts';

/** Sets the limit of open files of its parent: at the first line so low that no further file can be opened, then as before. */
const LIMITER =
  'read; prlimit --pid $PPID --nofile=3: && echo low; read; prlimit --pid $PPID --nofile=$(ulimit -Sn): && echo high';

const run = mkdtempSync(join(tmpdir(), 'apes-holds-'));
let sleeper: ChildProcess;
beforeAll(() => {
  sleeper = spawn('sleep', ['600']);
});
afterAll(() => {
  sleeper.kill('SIGKILL');
  removeDirectory(run);
});

/** Calls `look` while this process cannot open a file. */
async function withoutFiles<T>(look: () => T): Promise<T> {
  const limiter = spawn('bash', ['-c', LIMITER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = createInterface({ input: limiter.stdout })[Symbol.asyncIterator]();
  limiter.stdin.write('\n');
  expect(await said.next()).toMatchObject({ value: 'low' });
  try {
    return look();
  } finally {
    limiter.stdin.end('\n');
    expect(await said.next()).toMatchObject({ value: 'high' });
  }
}

const known = () => {
  const { pid, startTicks } = readProcess(sleeper.pid ?? 0) ?? { pid: 0, startTicks: 0 };
  return { pid, startTicks };
};

it('a process that cannot be looked up is not taken for an ended one', async () => {
  const here = known();
  const hold = new ProcessHold([here], 1);
  expect(await withoutFiles(() => [readProcess(here.pid), isGone(here), hold.isAlive])).toEqual([null, false, true]);
  expect([isGone(here), isGone({ ...here, startTicks: here.startTicks + 1 })]).toEqual([false, true]);
});

it('a running command stays known', async () => {
  const commands = new RunningCommands(run);
  const command = startedCommand('g_1', sleeper.pid ?? 0, 1);
  if (command === null) throw new Error('it has ended');
  commands.add(command);
  commands.noteAll(run);
  const next = new RunningCommands(run);
  expect(await withoutFiles(() => [commands.alive().length, next.alive().length])).toEqual([1, 0]);
  expect([commands.alive().length, next.alive()]).toEqual([2, [command]]);
});

it('the file of a hold stays if it cannot be read, and is read later', async () => {
  keepHold(run, 's_1', new ProcessHold([known()], 7));
  symlinkSync('/nowhere', join(run, 'holds', 's_2')); // `readPrivateFile` follows no link
  expect([...keptHolds(run).keys()]).toEqual(['s_1']);
  expect(existsSync(join(run, 'holds', 's_1'))).toBe(true);
  unlinkSync(join(run, 'holds', 's_2'));
  expect(await withoutFiles(() => keptHold(run, 's_1'))).toBeNull();
  expect(keptHold(run, 's_1')).toMatchObject({ sinceMs: 7, isAlive: true });
});
