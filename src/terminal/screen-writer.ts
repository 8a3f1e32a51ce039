/**
 * Writes the screen's bytes without ever blocking the process: a slow terminal must not keep the gate from hearing that
 * the terminal is gone. Bytes that arrive during a write go out together in the next one.
 */
import { closeSync, constants, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Above this many waiting bytes the source is asked to pause, below the other to go on. */
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
  /** At first everything waits for `release`. */
  #isWriting = true;
  #isPaused = false;
  #isBroken = false;
  #direct: number | null;
  #whenIdle: (() => void)[] = [];

  /** @param onBroken called once when the terminal does not take bytes any more */
  constructor(descriptor: number, throttle: Throttle, onBroken: () => void) {
    this.#descriptor = descriptor;
    this.#throttle = throttle;
    this.#onBroken = onBroken;
    this.#direct = reopenWithoutBlocking(descriptor);
  }

  /** The terminal is raw now. @param greeting goes out before everything that waited */
  release(greeting: string): void {
    const text = Buffer.from(greeting);
    if (text.length > 0) this.#waiting.unshift(text);
    this.#waitingBytes += text.length;
    this.#next();
  }

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

  /** Fulfilled when everything is out, or nothing can go out any more. */
  idle(): Promise<void> {
    if (!this.#isWriting || this.#isBroken) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  close(): void {
    if (this.#direct !== null) closeSync(this.#direct);
    this.#direct = null;
  }

  /** What the terminal takes without waiting goes out in this very turn: an echo must not wait for another thread. */
  #writeAtOnce(chunk: Buffer): Buffer {
    if (this.#direct === null) return chunk;
    try {
      return chunk.subarray(writeSync(this.#direct, chunk));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.close(); // the other way will find out what is wrong
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
 * The same terminal, opened once more so that descriptors of other processes stay blocking; null where that cannot be
 * done.
 */
function reopenWithoutBlocking(descriptor: number): number | null {
  if (process.platform !== 'linux' || !isatty(descriptor)) return null;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return null;
  }
}
