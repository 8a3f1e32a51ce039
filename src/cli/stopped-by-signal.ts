/** For a verb that serves until it is ended: a fatal signal stops what it serves, and the verb then ends by that signal. */
import type { Failure } from '../core/failure.ts';
import type { CliContext } from './context.ts';
import { done, type Ending, failing } from './ending.ts';

/**
 * @property stopped  aborted by a fatal signal
 * @property endingOf once everything is stopped; the failure it ended with, or null
 */
interface Stopping {
  readonly stopped: AbortSignal;
  readonly endingOf: (ended: Failure | null) => Ending;
}

export function stoppedBySignal(context: CliContext): Stopping {
  const stop = new AbortController();
  let lastSignal = 0;
  context.onFatalSignal((signal) => {
    lastSignal = signal;
    stop.abort();
  });
  const endingOf = (ended: Failure | null): Ending => {
    if (lastSignal !== 0) return { kind: 'die', signal: lastSignal };
    return ended === null ? done : failing(ended);
  };
  return { stopped: stop.signal, endingOf };
}
