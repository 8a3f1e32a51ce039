/** The person's terminal, as a port of the interactive shell. */
import type { Readable } from 'node:stream';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * @property input  what is typed, as bytes; ends when the terminal is gone
 * @property output descriptor the screen's bytes are written to
 */
export interface UserTerminal {
  readonly input: Readable;
  readonly output: number;
  size(): TerminalSize;
  onResize(listener: () => void): () => void;
  /** No echo, no signals, no line discipline in either direction, as cfmakeraw(3). */
  enterRaw(): Promise<void>;
  leaveRaw(): Promise<void>;
  /** The terminal, or the process that holds it for us, is gone: no person can read or type any more. */
  onGone(listener: () => void): () => void;
}

/** What a terminal without a size is taken for, as by most programs. */
export const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 };
