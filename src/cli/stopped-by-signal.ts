/** For verbs that wait or serve until a fatal signal: the signal ends the wait, and the process then dies of the same signal. */
import type { Failure } from '../core/failure.ts';
import type { CliContext } from './context.ts';
import { done, type Ending, failing } from './ending.ts';

/** Returns an `AbortSignal`, which is aborted when a fatal signal comes. After this call, a fatal signal no longer ends this process. */
export function abortedBySignal(context: CliContext): AbortSignal {
  const stop = new AbortController();
  context.onFatalSignal(() => stop.abort());
  return stop.signal;
}

/** The ending after a fatal signal: the process dies of the same signal. */
export const dyingOfSignal = (context: CliContext): Ending => ({ kind: 'die', signal: context.lastFatalSignal() });

/**
 * The ending of a verb that serves. To be called after everything has stopped.
 * @param failed why the service failed; null: no failure. Does not count after a fatal signal
 */
export function endingOfService(context: CliContext, failed: Failure | null): Ending {
  if (context.lastFatalSignal() !== 0) return dyingOfSignal(context);
  return failed === null ? done : failing(failed);
}
