/** One live session as its host sees it: the interface for requests from the private socket, and for the guarded send. */

import type { Harness } from '../../core/harness/harness.ts';
import type { Activity } from '../../core/message/activity.ts';
import type { ScreenReading } from '../../core/message/screen-reading.ts';
import type {
  ActivitySignal,
  ActivityState,
  ScreenView,
  SessionKind,
  SessionView,
} from '../../core/message/session-view.ts';
import type { TerminalSize } from '../../terminal/user-terminal.ts';
import type { MessageApi } from '../message/message-api.ts';

/** @property signal number of the signal that killed it; 0 when it exited */
export interface SessionEnding {
  readonly status: number;
  readonly signal: number;
}

/**
 * Keeps what the session's program is doing; the rules are the keeper's own.
 * @property state   null while nothing is known
 * @property harness the name of the agent harness, or null
 * @property known   our description of that harness
 */
export interface ActivityKeeper {
  readonly state: ActivityState | null;
  readonly harness: string | null;
  readonly known: Harness | null;
  readonly activity: Activity;
  take(signal: ActivitySignal, atMs: number): void;
  /** Takes the reading of a screen as evidence. */
  see(reading: ScreenReading, atMs: number): void;
  /**
   * True: this harness is the agent of the session; if none was known, it is from now on. False: the agent runs this harness.
   */
  claim(harness: string): boolean;
  recognise(argv: readonly string[]): void;
  end(): void;
}

/**
 * @property lastOutputAtMs Unix ms of the last byte of output; of the start before the first
 * @property outputs        pieces of output so far
 * @property lastKeyAtMs    Unix ms of the last key a person typed; what `write` puts in does not count; 0 before the first
 */
export interface LiveSession {
  readonly id: string;
  readonly name: string | null;
  readonly kind: SessionKind;
  readonly isEnded: boolean;
  readonly size: TerminalSize;
  readonly lastOutputAtMs: number;
  readonly outputs: number;
  readonly lastKeyAtMs: number;
  /** The session leader on its terminal; null when there is none. */
  readonly leaderPid: number | null;
  readonly activity: ActivityKeeper;
  /** The message API that the plugin of its agent offers, as long as it does. */
  readonly api: MessageApi | null;
  /** The screen with all output from before the call. */
  screen(): Promise<ScreenView>;
  /** Its present entry in a listing. */
  view(): Promise<SessionView>;
  /** Writes keys to the program's terminal. Does nothing once the session has ended. */
  write(bytes: Buffer): void;
  /** Sends SIGHUP, and two seconds later SIGKILL. Fulfilled when the program has ended. */
  end(): Promise<SessionEnding>;
  /** Passes a signal from a hook to `activity`, then to the listeners. */
  takeSignal(signal: ActivitySignal): void;
  onSignal(listener: (signal: ActivitySignal) => void): () => void;
  onEnded(listener: (ending: SessionEnding) => void): () => void;
}
