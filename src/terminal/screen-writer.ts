/**
 * Writes bytes to the terminal and never blocks the process: the gate must notice at once when a slow terminal is gone. Bytes that arrive
 * during a write wait for its end, and are then written together.
 */
import { closeSync, constants, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** If more than `FULL_BYTES` bytes wait, their source has to pause. When fewer than `LOW_BYTES` bytes wait, the source goes on. */
const FULL_BYTES = 1 << 18;
const LOW_BYTES = 1 << 16;
const RETRY_MS = 4;

export interface Throttle {
  pause(): void;
  resume(): void;
}

export class ScreenWriter {
  readonly #descriptor: number;
  readonly #throttle: Throttle;
  readonly #onBroken: () => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Whether a write is in progress. True at first, so that all bytes wait for `release`. */
  #isWriting = true;
  #isPaused = false;
  #isBroken = false;
  #direct: number | null;
  #whenIdle: (() => void)[] = [];

  /** @param onBroken called once, after a write to the terminal has failed for good */
  constructor(descriptor: number, throttle: Throttle, onBroken: () => void) {
    this.#descriptor = descriptor;
    this.#throttle = throttle;
    this.#onBroken = onBroken;
    this.#direct = reopenWithoutBlocking(descriptor);
  }

  /**
   * The caller calls this once, when the terminal is in raw mode.
   * @param greeting a text to write before the bytes that wait
   */
  release(greeting: string): void {
    const text = Buffer.from(greeting);
    if (text.length > 0) this.#waiting.unshift(text);
    this.#waitingBytes += text.length;
    this.#next();
  }

  /** Keeps `chunk` until the terminal has taken it; the caller must not change the bytes of `chunk`. After `onBroken`, drops `chunk`. */
  write(chunk: Buffer): void {
    if (this.#isBroken || chunk.length === 0) return;
    const rest = this.#isWriting ? chunk : this.#writeAtOnce(chunk);
    if (rest.length === 0) return;
    this.#waiting.push(rest);
    this.#waitingBytes += rest.length;
    if (!this.#isPaused && this.#waitingBytes > FULL_BYTES) {
      this.#isPaused = true;
      this.#throttle.pause();
    }
    if (!this.#isWriting) this.#next();
  }

  /** Fulfilled when all bytes are written, or when the terminal is broken. Before `release`, also waits for `release`. */
  idle(): Promise<void> {
    if (!this.#isWriting || this.#isBroken) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** Closes only the descriptor that this object has opened. The caller's descriptor stays open. */
  close(): void {
    if (this.#direct !== null) closeSync(this.#direct);
    this.#direct = null;
  }

  /** Writes at once what the terminal takes without blocking, and returns the rest. An echo must not wait for another thread. */
  #writeAtOnce(chunk: Buffer): Buffer {
    if (this.#direct === null) return chunk;
    try {
      return chunk.subarray(writeSync(this.#direct, chunk));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.close(); // `#writeAll` tries again, and reports a lasting error
      return chunk;
    }
  }

  #next(): void {
    const [only, ...more] = this.#waiting;
    if (only === undefined) {
      this.#settle();
      return;
    }
    const bytes = more.length === 0 ? only : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#isWriting = true;
    this.#writeAll(bytes, 0);
  }

  #writeAll(bytes: Buffer, from: number): void {
    write(this.#descriptor, bytes, from, bytes.length - from, null, (error, written) => {
      if (error !== null) {
        if (error.code === 'EAGAIN') setTimeout(() => this.#writeAll(bytes, from), RETRY_MS);
        else this.#break();
        return;
      }
      this.#waitingBytes -= written;
      if (this.#isPaused && this.#waitingBytes < LOW_BYTES) {
        this.#isPaused = false;
        this.#throttle.resume();
      }
      if (from + written < bytes.length) this.#writeAll(bytes, from + written);
      else this.#next();
    });
  }

  #break(): void {
    this.#isBroken = true;
    this.#waiting = [];
    this.#settle();
    this.#onBroken();
  }

  #settle(): void {
    this.#isWriting = false;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}

/**
 * Opens the terminal a second time, non-blocking: O_NONBLOCK on the descriptor itself would also apply to the other processes that use the
 * terminal. Returns null if the terminal cannot be opened again.
 */
function reopenWithoutBlocking(descriptor: number): number | null {
  if (process.platform !== 'linux' || !isatty(descriptor)) return null;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return null;
  }
}
