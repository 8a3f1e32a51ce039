/**
 * Writes keys to the non-blocking master of the pseudo-terminal. If the program in the terminal does not read, the kernel's buffer
 * becomes full. Then the writer keeps the keys. When the writer is full too, the caller stops reading the person's terminal. So a large
 * paste does not fill memory.
 */
import { writeSync } from 'node:fs';

const FULL_BYTES = 1 << 16;
const SHORTEST_WAIT_MS = 1;
const MAX_WAIT_MS = 32;

export class KeyWriter {
  readonly #descriptor: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #waitMs = SHORTEST_WAIT_MS;
  #isWriting = false;
  #isHeld = false;
  #isClosed = false;
  #onRoom: (() => void) | null = null;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * Accepts `chunk` even if the writer is full. Does not copy the bytes, so the caller must not change `chunk`. Returns false if the writer
   * is full afterwards. When there is room again, or when the writer is closed, the writer calls only the newest `onRoom`, once.
   */
  write(chunk: Buffer, onRoom: () => void): boolean {
    if (this.#isClosed || chunk.length === 0) return true;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (!this.#isWriting) this.#writeAll();
    if (this.#waitingBytes < FULL_BYTES) return true;
    this.#onRoom = onRoom;
    return false;
  }

  /** Keeps all keys back until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    if (!this.#isWriting) this.#writeAll();
  }

  /** Drops all waiting keys and all later keys, so there is always room. After a failed write, the writer closes itself. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#reportRoom();
  }

  /** Writes the waiting keys until the kernel takes no more. Writes synchronously: an Enter must not wait for another thread. */
  #writeAll(): void {
    this.#isWriting = true;
    while (!this.#isClosed && !this.#isHeld && this.#waiting[0] !== undefined) {
      const chunk = this.#waiting[0];
      try {
        this.#wrote(chunk, writeSync(this.#descriptor, chunk));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#writeLater();
        else this.close();
        return;
      }
    }
    this.#isWriting = false;
  }

  #writeLater(): void {
    setTimeout(() => this.#writeAll(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS);
  }

  #wrote(chunk: Buffer, written: number): void {
    this.#waitMs = SHORTEST_WAIT_MS;
    this.#waitingBytes -= written;
    if (written === chunk.length) this.#waiting.shift();
    else this.#waiting[0] = chunk.subarray(written);
    this.#reportRoom();
  }

  #reportRoom(): void {
    if (this.#waitingBytes >= FULL_BYTES || this.#onRoom === null) return;
    const onRoom = this.#onRoom;
    this.#onRoom = null;
    onRoom();
  }
}
