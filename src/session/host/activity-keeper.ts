/** Keeps the activity of a session's program (the state of `nextActivity`), and which harness the program is. */

import type { Harness } from '../../core/harness/harness.ts';
import { harnessNamed, harnessOf } from '../../core/harness/harnesses.ts';
import { type Activity, nextActivity, shownState, UNKNOWN_ACTIVITY } from '../../core/message/activity.ts';
import type { ScreenReading } from '../../core/message/screen-reading.ts';
import type { ActivitySignal, ActivityState } from '../../core/message/session-view.ts';
import type { ActivityKeeper } from './live-session.ts';

export const openActivityKeeper = (): ActivityKeeper => new Keeper();

class Keeper implements ActivityKeeper {
  #activity: Activity = UNKNOWN_ACTIVITY;
  #harness: Harness | null = null;

  get state(): ActivityState | null {
    return shownState(this.#activity);
  }

  get harness(): string | null {
    return this.#harness?.name ?? null;
  }

  get known(): Harness | null {
    return this.#harness;
  }

  get activity(): Activity {
    return this.#activity;
  }

  take(signal: ActivitySignal, atMs: number): void {
    this.#activity = nextActivity(this.#activity, { kind: 'signal', signal, atMs });
  }

  see(reading: ScreenReading, atMs: number): void {
    this.#activity = nextActivity(this.#activity, { kind: 'screen', reading, atMs });
  }

  end(): void {
    this.#activity = nextActivity(this.#activity, { kind: 'ended' });
  }

  claim(name: string): boolean {
    const named = harnessNamed(name);
    if (named === null) return false;
    const isFree = this.#harness === null || this.#activity.state === 'exited';
    if (isFree && named !== this.#harness) this.#become(named);
    return named === this.#harness;
  }

  recognise(argv: readonly string[]): void {
    const found = harnessOf(argv);
    if (found !== null && found !== this.#harness) this.#become(found);
  }

  /** Sets the harness of the session. Resets the activity: the old activity belonged to another harness. */
  #become(harness: Harness): void {
    this.#harness = harness;
    this.#activity = nextActivity(this.#activity, { kind: 'launched' });
  }
}
