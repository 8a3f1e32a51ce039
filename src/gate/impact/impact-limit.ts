/** Limits of a search: its time, and its number of files. */
import { setImmediate } from 'node:timers/promises';

/** More files of one question are not counted. */
const MAX_FILES = 20_000;
/** The longest time for which the search may keep other work waiting. */
const TURN_MS = 10;

export class Limit {
  readonly #untilMs: number;
  #turnMs = performance.now();
  #seen = 0;

  /** @param forMs from now on */
  constructor(forMs: number) {
    this.#untilMs = performance.now() + forMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - performance.now());
  }

  get isOver(): boolean {
    return performance.now() >= this.#untilMs;
  }

  /** For each question anew. */
  begin(): void {
    this.#seen = 0;
  }

  /** Counts one more file; false when the limit is reached. Yields to other work now and then. */
  async more(): Promise<boolean> {
    this.#seen++;
    if (this.#seen > MAX_FILES) return false;
    if (this.#seen % 64 !== 0) return true;
    const nowMs = performance.now();
    if (nowMs >= this.#untilMs) return false;
    if (nowMs - this.#turnMs > TURN_MS) {
      await setImmediate();
      this.#turnMs = performance.now();
    }
    return true;
  }
}
