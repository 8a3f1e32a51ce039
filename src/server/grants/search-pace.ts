/**
 * Lets searches read the database in small pieces of work, one at a time, with pauses. SQLite works in this process: while SQLite works,
 * the server serves no other call.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';

/** How long one piece of work should take: with a database in this process (SQLite), and in another process (PostgreSQL). */
const AIM_HERE_MS = 5;
const AIM_ELSEWHERE_MS = 40;
/**
 * The longest pause. A piece that takes longer than `MAX_PAUSE_MS` usually spends most of its time on waiting for PostgreSQL. During that
 * wait the server can serve other calls, so a longer pause after the piece is not necessary.
 */
const MAX_PAUSE_MS = 20;

/** How many rows the first piece of a search reads. */
export const FIRST_ROWS = 100;
const MIN_ROWS = 50;
const MAX_ROWS = 5_000;

type Elapsed = Pick<Clock, 'elapsedMs'>;

/** The pace of all searches of this process. */
export class SearchPace {
  readonly #clock: Elapsed;
  readonly #aimMs: number;
  #last: Promise<unknown> = Promise.resolve();

  /** @param isInProcess whether the database works in this process */
  constructor(clock: Elapsed, isInProcess: boolean) {
    this.#clock = clock;
    this.#aimMs = isInProcess ? AIM_HERE_MS : AIM_ELSEWHERE_MS;
  }

  /** Returns how many rows to read in the next piece, after a piece of `rows` rows took `tookMs`. */
  nextRows(rows: number, tookMs: number): number {
    const fitting = Math.round((rows * this.#aimMs) / Math.max(tookMs, 0.1));
    return Math.min(Math.max(fitting, MIN_ROWS), rows * 4, MAX_ROWS);
  }

  /** Whether `tookMs` is less than one piece should take. */
  isShort(tookMs: number): boolean {
    return tookMs < this.#aimMs;
  }

  /**
   * Does the work after all earlier pieces. Then all searches pause, so that the server can serve other calls. The pause is one turn of the
   * event loop if `isShort` returns true. Else the pause is as long as the work, up to `MAX_PAUSE_MS`. After a failure there is no pause.
   * @param isShort gets the time that the work took
   */
  piece<T>(
    work: () => Promise<T>,
    isShort: (tookMs: number) => boolean = () => false,
  ): Promise<{ readonly value: T; readonly tookMs: number }> {
    const turn = this.#last.then(async () => {
      const begin = this.#clock.elapsedMs();
      const value = await work();
      return { value, tookMs: this.#clock.elapsedMs() - begin };
    });
    this.#last = turn.then(
      ({ tookMs }) => (isShort(tookMs) ? nextTurn() : sleep(Math.min(tookMs, MAX_PAUSE_MS))),
      () => undefined,
    );
    return turn;
  }
}

/** The work of one search, in pieces. */
export class SearchWork {
  readonly pace: SearchPace;
  /** The time of all pieces, without pauses. */
  tookMs = 0;

  constructor(pace: SearchPace) {
    this.pace = pace;
  }

  /**
   * Calls `SearchPace.piece`. As long as this whole search has taken less time than one piece should take, the pause is one turn of the
   * event loop. Most pages of the history need less time.
   */
  async piece<T>(work: () => Promise<T>): Promise<T> {
    const isShort = (tookMs: number) => this.pace.isShort(this.tookMs + tookMs);
    const { value, tookMs } = await this.pace.piece(work, isShort);
    this.tookMs += tookMs;
    return value;
  }
}
