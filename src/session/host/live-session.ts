/** The interface of one live session. Two callers use the interface: requests from the private socket, and the guarded send. */

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

/**
 * @property status the exit status; without a meaning if `signal` is not 0
 * @property signal the number of the signal that killed the program; 0: the program exited by itself
 */
export interface SessionEnding {
  readonly status: number;
  readonly signal: number;
}

/**
 * Keeps the state of the session's program.
 * @property state    what the program is doing; null while nothing is known
 * @property harness  the name of the agent harness; null: no agent harness was recognised
 * @property known    our description of `harness`; null if `harness` is null
 * @property activity the evidence for `state` so far
 */
export interface ActivityKeeper {
  readonly state: ActivityState | null;
  readonly harness: string | null;
  readonly known: Harness | null;
  readonly activity: Activity;
  /** Takes a signal of a hook as evidence. */
  take(signal: ActivitySignal, atMs: number): void;
  /** Takes the reading of a screen as evidence. */
  see(reading: ScreenReading, atMs: number): void;
  /**
   * Returns whether this harness is the agent of the session. If the session has no known agent, or its agent has exited, this harness
   * becomes its agent. Returns false in two cases: the name is unknown, or the session has another agent that is running. In the second
   * case, the running agent has started this harness.
   */
  claim(harness: string): boolean;
  /** Recognises the harness of the program in the foreground. A program that is no known harness changes nothing. */
  recognise(argv: readonly string[]): void;
  /** Call this method when the program of the session has ended. */
  end(): void;
}

/**
 * @property lastOutputAtMs when the last byte of output came (Unix ms). If no byte has come yet: when the session started
 * @property outputs        the number of pieces of output so far
 * @property lastKeyAtMs    when a person typed the last key (Unix ms); 0 before the first key. Bytes from `write` do not count.
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
  /** The process id of the session leader on the terminal; null: the terminal has no session leader. */
  readonly leaderPid: number | null;
  readonly activity: ActivityKeeper;
  /** The message API that the plugin of the session's agent offers now; null: no API. */
  readonly api: MessageApi | null;
  /** Returns the screen, with all output up to the call of this method. After the end of the session, returns the last screen. */
  screen(): Promise<ScreenView>;
  /** Returns what a list of sessions shows about this session now. */
  view(): Promise<SessionView>;
  /** Reads output of the program that this process has not read yet. `outputs` counts this output. */
  readOutput(): void;
  /** Writes keys to the program's terminal. Does nothing if the session has ended. */
  write(bytes: Buffer): void;
  /** Hangs up the terminal, and kills the program if it has not ended two seconds later. Fulfilled when the program has ended. */
  end(): Promise<SessionEnding>;
  /** Passes a signal from a hook to `activity`, then to the listeners. */
  takeSignal(signal: ActivitySignal): void;
  /** Returns a function that removes the listener. */
  onSignal(listener: (signal: ActivitySignal) => void): () => void;
  /** Calls the listener at once if the program has ended already. Returns a function that removes the listener. */
  onEnded(listener: (ending: SessionEnding) => void): () => void;
}
