/** The terminal of the person who uses the shell. */
import type { Readable } from 'node:stream';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * @property input  the typed bytes; the stream ends when the terminal is gone
 * @property output the file descriptor for bytes to the screen
 */
export interface UserTerminal {
  readonly input: Readable;
  readonly output: number;
  /** Returns `USUAL_SIZE` if the terminal reports no size. */
  size(): TerminalSize;
  /** Returns a function that removes the listener. */
  onResize(listener: () => void): () => void;
  /** Sets raw mode as cfmakeraw(3) does: no echo, no signals from keys, and bytes pass unchanged in both directions. */
  enterRaw(): Promise<void>;
  /** Sets the mode that the terminal had before `enterRaw`. */
  leaveRaw(): Promise<void>;
  /**
   * Calls `listener` when the terminal or the launcher is gone: no person can read or type any more. May call `listener` more than once.
   * Returns a function that removes the listener.
   */
  onGone(listener: () => void): () => void;
}

/** The size if the terminal reports no size. Most programs assume this size too. */
export const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 };
