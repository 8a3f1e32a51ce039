/** A hold on real processes: it kills those that ignore the first signal, and signals no process that only has the same number. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ProcessHold } from '../../src/session/hold/process-hold.ts';
import { isStopped, readProcess } from '../../src/session/hold/processes.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a script, and returns its process with pid and start time when it says that it is ready. */
async function started(script: string) {
  const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
  const found = readProcess(child.pid ?? 0);
  if (found === null) throw new Error('it has ended');
  return { child, pid: found.pid, startTicks: found.startTicks };
}

const isAlive = ({ child }: { readonly child: ChildProcess }) => child.exitCode === null && child.signalCode === null;

it('a hold ends a process that ignores the first signal', async () => {
  const stubborn = await started('trap "" HUP TERM; echo ready; while :; do sleep 0.05; done');
  const hold = new ProcessHold([stubborn], Date.now());
  await hold.begin();
  await hold.end('SIGTERM');
  await expect.poll(() => isAlive(stubborn), { timeout: 5_000 }).toBe(false);
  expect(stubborn.child.signalCode).toBe('SIGKILL');
});

it('a hold sends no signal to a process that got the pid of an ended one', async () => {
  const other = await started('echo ready; while :; do sleep 0.05; done');
  const hold = new ProcessHold([{ pid: other.pid, startTicks: other.startTicks + 1 }], Date.now());
  expect(hold.isAlive).toBe(false);
  expect(await hold.begin()).toEqual({ processes: 0, notHeld: [] });
  const entry = readProcess(other.pid);
  expect(entry !== null && isStopped(entry)).toBe(false);
  expect(await hold.end('SIGTERM')).toEqual({ processes: 0, notHeld: [] });
  await sleep(100);
  expect(isAlive(other)).toBe(true);
});

it.each(['SIGTERM', 'SIGHUP'] as const)(
  'a shell that a hold ends with %s runs none of its next commands',
  async (polite) => {
    // The shell has many children, so that it would have time for its next command between their signals and its own signal.
    const many = 'for i in {1..200}; do sleep 60 & done';
    const shell = await started(`${many}; echo ready; sleep 60; echo next`);
    let printed = '';
    shell.child.stdout?.on('data', (text: Buffer) => {
      printed += text.toString();
    });
    const hold = new ProcessHold([shell], Date.now());
    await hold.end(polite);
    await expect.poll(() => isAlive(shell), { timeout: 5_000 }).toBe(false);
    expect({ signal: shell.child.signalCode, printed }).toEqual({ signal: polite, printed: '' });
  },
);
