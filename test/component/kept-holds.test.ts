/** Holds and running commands are not forgotten while their files, or /proc, cannot be read for a moment (EMFILE). */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { keepHold, keptHold, keptHolds } from '../../src/session/hold/kept-holds.ts';
import { ProcessHold } from '../../src/session/hold/process-hold.ts';
import { isGone, readProcess } from '../../src/session/hold/processes.ts';
import { RunningCommands, startedCommand } from '../../src/session/hold/running-commands.ts';
import { withoutFiles } from './without-files.ts';

const run = mkdtempSync(join(tmpdir(), 'apes-holds-'));
let sleeper: ChildProcess;
beforeAll(() => {
  sleeper = spawn('sleep', ['600']);
});
afterAll(() => {
  sleeper.kill('SIGKILL');
  removeDirectory(run);
});

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

it('no process reads the file of a running command while it is written: a new file takes its place', () => {
  const file = join(run, 'commands', String(sleeper.pid));
  const command = startedCommand('g_2', sleeper.pid ?? 0, 1);
  if (command === null) throw new Error('it has ended');
  const before = openSync(file, 'r');
  const commands = new RunningCommands('/nowhere');
  commands.add(command);
  commands.noteAll(run);
  expect([before, file].map((each) => JSON.parse(readFileSync(each, 'utf8')).grantId)).toEqual(['g_1', 'g_2']);
  closeSync(before);
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
