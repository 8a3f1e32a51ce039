/** One live session as its host sees it: what requests from the private socket, and the guarded send, work with. */

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

/** @property signal number of the signal it died of; 0 when it exited */
export interface SessionEnding {
  readonly status: number;
  readonly signal: number;
}

/**
 * Keeps what the session's program is doing; the rules are the keeper's own.
 * @property state   null while nothing is known
 * @property harness the agent harness it was recognised as, or null
 * @property known   what is known of that harness
 */
export interface ActivityKeeper {
  readonly state: ActivityState | null;
  readonly harness: string | null;
  readonly known: Harness | null;
  readonly activity: Activity;
  take(signal: ActivitySignal, atMs: number): void;
  /** What a look at the screen showed: evidence. */
  see(reading: ScreenReading, atMs: number): void;
  /**
   * True: this harness is the agent of this session, and becomes it where none is known. False: it is one that the agent runs.
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
  /** The first process on its terminal; null when it is not there. */
  readonly leaderPid: number | null;
  readonly activity: ActivityKeeper;
  /** What the plugin of its agent offers, while it does. */
  readonly api: MessageApi | null;
  /** It includes all output from before the call. */
  screen(): Promise<ScreenView>;
  /** How it is listed, at this moment. */
  view(): Promise<SessionView>;
  /** To the program's terminal, as keys. Nothing happens once the session has ended. */
  write(bytes: Buffer): void;
  /** Hang-up; two seconds later kill. Fulfilled when the program is gone. */
  end(): Promise<SessionEnding>;
  /** A signal from a hook: goes to `activity`, then to the listeners. */
  takeSignal(signal: ActivitySignal): void;
  onSignal(listener: (signal: ActivitySignal) => void): () => void;
  onEnded(listener: (ending: SessionEnding) => void): () => void;
}
