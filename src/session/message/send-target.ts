/** The members of a session that the sender of a message needs. */

import type { Harness } from '../../core/harness/harness.ts';
import type { Activity } from '../../core/message/activity.ts';
import type { ScreenReading } from '../../core/message/screen-reading.ts';
import type { ActivitySignal, ScreenView } from '../../core/message/session-view.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MessageApi } from './message-api.ts';

/**
 * @property api         the message API that the harness's plugin offers now; null: the plugin offers no such API
 * @property lastKeyAtMs when a person last typed a key (Unix ms); 0: no key yet
 * @property outputs     the number of pieces of output so far
 */
export interface SendTarget {
  readonly harness: Harness;
  readonly isEnded: boolean;
  readonly api: MessageApi | null;
  readonly lastKeyAtMs: number;
  readonly outputs: number;
  readonly activity: Activity;
  readonly clock: Clock;
  /** Returns the screen with all output from before the call. */
  screen(): Promise<ScreenView>;
  /** Updates `activity` with this reading of the screen; later senders see the new value. */
  see(reading: ScreenReading): void;
  /** Reads the output that waits in the program's terminal, and counts this output in `outputs`. */
  readOutput(): void;
  /** Writes keys to the program's terminal. */
  write(bytes: Buffer): void;
  /** Waits until `this.outputs` differs from `outputs`, a signal comes, the session ends, or `ms` have passed. */
  changed(outputs: number, ms: number): Promise<void>;
  /** Adds a listener. Returns a function that removes the listener. */
  onSignal(listener: (signal: ActivitySignal) => void): () => void;
}
