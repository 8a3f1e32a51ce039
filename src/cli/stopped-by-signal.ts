/** For verbs that serve until a fatal signal: the signal stops the service, and the process then dies of the same signal. */
import type { Failure } from '../core/failure.ts';
import type { CliContext } from './context.ts';
import { done, type Ending, failing } from './ending.ts';

/**
 * @property stopped  aborted by a fatal signal
 * @property endingOf makes the Ending of the verb. The caller calls `endingOf` after everything has stopped. `ended`: why the service
 *                    failed; null: no failure. After a fatal signal, `endingOf` ignores `ended`
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
