/** Limits the work for an impact preview: the time for all questions together, and the number of files for each question. */

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';

/** The most files that are counted for one question. */
const MAX_FILES = 20_000;
/** After this time, a search lets other work of this process run. */
const TURN_MS = 10;

export class Limit {
  readonly #untilMs: number;
  #turnMs = systemClock.elapsedMs();
  #seen = 0;

  /** @param forMs the time for all questions together, from now */
  constructor(forMs: number) {
    this.#untilMs = systemClock.elapsedMs() + forMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - systemClock.elapsedMs());
  }

  /** Whether the time is over. The number of files does not matter. */
  get isOver(): boolean {
    return systemClock.elapsedMs() >= this.#untilMs;
  }

  /** Begins a question. The count of files starts at 0 again, but the time does not start again. */
  begin(): void {
    this.#seen = 0;
  }

  /**
   * Counts one more file. Returns false if a limit is exceeded. At every 64th file, this method checks the time, and lets other work run
   * if `TURN_MS` have passed.
   */
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
