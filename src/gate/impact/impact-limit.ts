/** The limits of looking up an impact: the time, and the number of files of one question. */

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';

/** The most files that are counted for one question. */
const MAX_FILES = 20_000;
/** How long the search may keep other work of this process waiting. */
const TURN_MS = 10;

export class Limit {
  readonly #untilMs: number;
  #turnMs = systemClock.elapsedMs();
  #seen = 0;

  /** @param forMs from now, for all questions together */
  constructor(forMs: number) {
    this.#untilMs = systemClock.elapsedMs() + forMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - systemClock.elapsedMs());
  }

  get isOver(): boolean {
    return systemClock.elapsedMs() >= this.#untilMs;
  }

  /** Begins a question: the number of files counts anew, the time does not. */
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
