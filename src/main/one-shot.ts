/** Runs `ape-shell -c`, a script or standard input. After the decision, the caller's process becomes the command, or ends. */
import { exitStatusOf, type Failure, failureLine } from '../core/failure.ts';
import type { Started } from '../platform/installation.ts';
import { isDashed, type Launcher } from '../platform/launcher.ts';
import { currentDirectory } from '../platform/surroundings.ts';
import { writeAll } from '../platform/write-all.ts';
import type { OneShot } from '../run/one-shot.ts';
import { noteStarted } from '../session/hold/running-commands.ts';
import { answerOneShot } from '../shell/one-shot-answer.ts';
import { type OpenedOneShot, openOneShot, startGateForNextCall } from './one-shot-parts.ts';
import { FATAL_SIGNALS } from './started-by.ts';

/** @param stopDying removes the default listener for fatal signals. After this removal, `runOneShot` handles these signals. */
export async function runOneShot(
  { caller, launcher }: Started,
  invocation: OneShot,
  dist: string,
  stopDying: () => void,
): Promise<never> {
  const cwd = currentDirectory();
  if (!cwd.ok) return fail(launcher, cwd.failure);
  let signal = 0;
  const seen: { opened: OpenedOneShot | null } = { opened: null };
  const end = await answerOneShot({
    invocation,
    environment: caller.environment,
    cwd: cwd.value,
    isDashed: isDashed(caller),
    dist,
    open: async () => {
      const opened = await openOneShot(caller, dist);
      if (opened.ok) seen.opened = opened.value;
      return opened;
    },
    explain: (text) => writeAll(2, text),
    interruption: () => {
      const cancelled = new AbortController();
      stopDying();
      launcher.onSignal((number) => {
        signal = number;
        if (FATAL_SIGNALS.has(number)) cancelled.abort();
      });
      return cancelled.signal;
    },
  });
  if (invocation.kind === 'command' && seen.opened !== null) await startGateForNextCall(seen.opened, caller, dist);
  switch (end.kind) {
    case 'become':
      if (seen.opened !== null) noteStarted(seen.opened, end.grantId, caller.pid);
      return launcher.become(end.replacement);
    case 'status':
      return launcher.exit(end.status);
    case 'interrupted':
      return launcher.die(signal);
    case 'elsewhere':
      return fail(launcher, {
        code: 'software',
        message: 'internal error: this process did not wait for the decision itself',
        consequence: 'nothing-ran',
      });
  }
}

function fail(launcher: Launcher, failure: Failure): Promise<never> {
  writeAll(2, `${failureLine('ape-shell', failure)}\n`);
  return launcher.exit(exitStatusOf(failure));
}
