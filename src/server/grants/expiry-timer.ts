/**
 * Reports each grant that expires while the timer exists. A late report does no harm: readers of a grant derive its state from the clock.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';

/**
 * The longest time between two checks of the store, if the timer expects an expiry. The limit has two reasons: the wall clock can jump, and
 * Node's timers take at most 2^31 - 1 ms.
 */
const MAX_SLEEP_MS = 30_000;

export class ExpiryTimer {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onExpiry: (grantIds: readonly string[]) => void;
  #checkedMs: number;
  #nextMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(store: Store, clock: Clock, onExpiry: (grantIds: readonly string[]) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onExpiry = onExpiry;
    this.#checkedMs = clock.nowMs();
  }

  /** Tells the timer that a grant expires at `atMs` (null: never). At that time, the timer asks the store. */
  expect(atMs: number | null): void {
    if (atMs === null || atMs <= this.#checkedMs || atMs >= this.#nextMs) return;
    this.#nextMs = atMs;
    this.#arm();
  }

  /** Asks the store which grants have expired since the last check, and when the next grant expires. Returns before the report. */
  lookUp(): void {
    void this.#check();
  }

  /** Stops the timer. A check that has already begun can still report. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isStopped || this.#nextMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.max(this.#nextMs - this.#clock.nowMs(), 0), MAX_SLEEP_MS);
    this.#timer = setTimeout(() => void this.#check(), delayMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const sinceMs = Math.min(this.#checkedMs, nowMs);
    this.#nextMs = Number.POSITIVE_INFINITY; // set before the read, because `expect` can be called during the read
    const read = await this.#store.read(async (rows) => ({
      expired: await rows.expiredBetween(sinceMs, nowMs),
      nextMs: await rows.nextExpiryMs(nowMs),
    }));
    if (!read.ok) {
      this.#nextMs = Math.min(this.#nextMs, nowMs + 1_000);
    } else {
      this.#checkedMs = nowMs;
      this.#nextMs = Math.min(this.#nextMs, read.value.nextMs ?? Number.POSITIVE_INFINITY);
      if (read.value.expired.length > 0) this.#onExpiry(read.value.expired);
    }
    this.#arm();
  }
}
