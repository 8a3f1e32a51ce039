/** Limits the look-up of an impact preview: the time for all questions, and the number of files for each question. */

import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';

/** The most files that are counted for one question. */
const MAX_FILES = 20_000;
/** The longest time for which a search delays other work of this process. */
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

  /** Whether the time is over. Says nothing about the number of files. */
  get isOver(): boolean {
    return systemClock.elapsedMs() >= this.#untilMs;
  }

  /** Begins a question: the count of files starts at 0 again; the time goes on. */
  begin(): void {
    this.#seen = 0;
  }

  /**
   * Counts one more file. Returns false if a limit is reached; the time is checked at every 64th file. Sometimes lets other work of the
   * process run first.
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
