/** What the program of a session is doing, as far as its hooks told: the last word counts. */
import type { ActivitySignal, ActivityState } from '../core/session-view.ts';
import type { ActivityKeeper } from './live-session.ts';

export function openActivityKeeper(): ActivityKeeper {
  return new LastWord();
}

class LastWord implements ActivityKeeper {
  state: ActivityState | null = null;
  readonly harness = null;

  take(signal: ActivitySignal): void {
    if (signal.state !== null) this.state = signal.state;
  }
}
