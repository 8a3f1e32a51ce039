/**
 * Writes keys into the pty's master. The kernel takes no more once a program does not read them: then this waits, and
 * the person's terminal is asked to wait too, instead of keeping a whole paste in memory.
 */
import { write } from 'node:fs';

const FULL_BYTES = 1 << 16;
const SHORTEST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 32;

export class KeyWriter {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #waitMs = SHORTEST_WAIT_MS;
  #isWriting = false;
  #isClosed = false;
  #onRoom: (() => void) | null = null;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** False when the writer is full: `onRoom` is called once when it is not. */
  write(chunk: Buffer, onRoom: () => void): boolean {
    if (this.#isClosed || chunk.length === 0) return true;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (!this.#isWriting) this.#next();
    if (this.#waitingBytes < FULL_BYTES) return true;
    this.#onRoom = onRoom;
    return false;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  #next(): void {
    const chunk = this.#waiting[0];
    this.#isWriting = chunk !== undefined && !this.#isClosed;
    if (chunk === undefined || this.#isClosed) return;
    write(this.#descriptor, chunk, 0, chunk.length, null, (error, written) => {
      if (this.#isClosed) return;
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#next(), this.#waitMs);
        this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
      } else if (error === null) this.#wrote(chunk, written);
      else this.close();
    });
  }

  #wrote(chunk: Buffer, written: number): void {
    this.#waitMs = SHORTEST_WAIT_MS;
    this.#waitingBytes -= written;
    if (written === chunk.length) this.#waiting.shift();
    else this.#waiting[0] = chunk.subarray(written);
    if (this.#waitingBytes < FULL_BYTES && this.#onRoom !== null) {
      const tell = this.#onRoom;
      this.#onRoom = null;
      tell();
    }
    this.#next();
  }
}
