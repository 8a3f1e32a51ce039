/** What a guarded send needs of a session, and no more. */

import type { Harness } from '../../core/harness/harness.ts';
import type { Activity } from '../../core/message/activity.ts';
import type { ScreenReading } from '../../core/message/screen-reading.ts';
import type { ActivitySignal, ScreenView } from '../../core/message/session-view.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MessageApi } from './message-api.ts';

/**
 * @property harness     whose screen and hooks it has
 * @property api         the agent's own way to be given a message, or null
 * @property lastKeyAtMs Unix ms of the last key a person typed
 * @property outputs     pieces of output so far
 */
export interface SendTarget {
  readonly harness: Harness;
  readonly isEnded: boolean;
  readonly api: MessageApi | null;
  readonly lastKeyAtMs: number;
  readonly outputs: number;
  readonly activity: Activity;
  readonly clock: Clock;
  /** Everything that came out before the call is on it. */
  screen(): Promise<ScreenView>;
  /** A look at the screen is evidence, also for those who come later. */
  see(reading: ScreenReading): void;
  /** To the program's terminal, as keys. */
  write(bytes: Buffer): void;
  /** Fulfilled once there is more output than these `outputs`, at the next signal or the end, or after `ms`. */
  changed(outputs: number, ms: number): Promise<void>;
  onSignal(listener: (signal: ActivitySignal) => void): () => void;
}
