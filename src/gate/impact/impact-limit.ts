/** Limits of a search: its time, and its number of files. */

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';

/** More files of one question are not counted. */
const MAX_FILES = 20_000;
/** The longest time for which the search may keep other work waiting. */
const TURN_MS = 10;

export class Limit {
  readonly #untilMs: number;
  #turnMs = systemClock.elapsedMs();
  #seen = 0;

  /** @param forMs from now on */
  constructor(forMs: number) {
    this.#untilMs = systemClock.elapsedMs() + forMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - systemClock.elapsedMs());
  }

  get isOver(): boolean {
    return systemClock.elapsedMs() >= this.#untilMs;
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
    const nowMs = systemClock.elapsedMs();
    if (nowMs >= this.#untilMs) return false;
    if (nowMs - this.#turnMs > TURN_MS) {
      await setImmediate();
      this.#turnMs = systemClock.elapsedMs();
    }
    return true;
  }
}
