/**
 * Limits each caller. The counts are in the memory of this process. Fastify's rate-limit plugins count calls for each route. The classes of
 * this file count costs instead (held bytes, failures, writes), for HTTP and for persistent connections.
 */
import type { Clock } from '../platform/clock.ts';

/** The most callers that are remembered. A forgotten caller starts with a full budget again. */
const MAX_KEYS = 10_000;

interface Bucket {
  left: number;
  atMs: number;
}

/** Keeps a budget for each key. A budget begins with `atOnce`, grows by `perSecond` in each second, and is never more than `atOnce`. */
export class RateBudget {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: { readonly atOnce: number; readonly perSecond: number }, clock: Clock) {
    this.#most = limit.atOnce;
    this.#perSecond = limit.perSecond;
    this.#clock = clock;
  }

  /** Takes `amount` from the budget of this key. If less than `amount` is left, returns false and takes nothing. */
  take(key: string, amount = 1): boolean {
    const bucket = this.#bucket(key);
    if (bucket.left < amount) return false;
    bucket.left -= amount;
    return true;
  }

  /** Makes the budget of this key full again. */
  refill(key: string): void {
    this.#buckets.delete(key);
  }

  #bucket(key: string): Bucket {
    const nowMs = this.#clock.elapsedMs();
    const known = this.#buckets.get(key);
    this.#buckets.delete(key); // inserted again at the end: the first key is always the least recently used key
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= MAX_KEYS && oldest !== undefined) this.#buckets.delete(oldest);
    const refilled = known === undefined ? this.#most : known.left + ((nowMs - known.atMs) / 1_000) * this.#perSecond;
    const bucket = { left: Math.min(this.#most, refilled), atMs: nowMs };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** Counts the bytes that the server holds for incomplete calls. Limits the bytes of each caller, and the bytes of all callers together. */
export class HeldBytes {
  readonly #mostOfAll: number;
  readonly #byKey = new Map<string, number>();
  #ofAll = 0;

  constructor(mostOfAll: number) {
    this.#mostOfAll = mostOfAll;
  }

  /** Counts these bytes. Counts nothing if the new sum would exceed the limit of this caller (`own`) or of all callers together (`all`). */
  hold(key: string, bytes: number, mostOfOne: number): 'held' | 'own' | 'all' {
    const held = (this.#byKey.get(key) ?? 0) + bytes;
    if (held > mostOfOne) return 'own';
    if (this.#ofAll + bytes > this.#mostOfAll) return 'all';
    this.#byKey.set(key, held);
    this.#ofAll += bytes;
    return 'held';
  }

  /** Gives back bytes that `hold` has counted. */
  release(key: string, bytes: number): void {
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    this.#ofAll -= bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}

/** Limits how many streams or connections stay open: those of each caller, and those of all callers together. */
export class Places {
  readonly #mostOfOne: number;
  readonly #mostOfAll: number;
  readonly #byKey = new Map<string, number>();
  #ofAll = 0;

  constructor(limit: { readonly ofOne: number; readonly ofAll: number }) {
    this.#mostOfOne = limit.ofOne;
    this.#mostOfAll = limit.ofAll;
  }

  /**
   * Takes a place. Returns a function that frees the place; call this function exactly once. Returns `own` if this caller has no place
   * left. Returns `all` if the server has no place left.
   */
  take(key: string): (() => void) | 'own' | 'all' {
    const own = this.#byKey.get(key) ?? 0;
    if (own >= this.#mostOfOne) return 'own';
    if (this.#ofAll >= this.#mostOfAll) return 'all';
    this.#ofAll += 1;
    this.#byKey.set(key, own + 1);
    return () => {
      this.#ofAll -= 1;
      const left = (this.#byKey.get(key) ?? 0) - 1;
      if (left > 0) this.#byKey.set(key, left);
      else this.#byKey.delete(key);
    };
  }
}

interface Lane {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** Limits how many calls of one caller run at the same time. Further calls of this caller wait in a queue. */
export class Lanes {
  readonly #mostUnderWay: number;
  readonly #mostWaiting: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(limit: { readonly underWay: number; readonly waiting: number }) {
    this.#mostUnderWay = limit.underWay;
    this.#mostWaiting = limit.waiting;
  }

  /** Runs `work` when its turn comes. Returns null, and never runs `work`, if too many calls of this caller wait already. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> | null {
    const lane = this.#lanes.get(key) ?? { underWay: 0, waiting: [] };
    if (lane.underWay >= this.#mostUnderWay && lane.waiting.length >= this.#mostWaiting) return null;
    this.#lanes.set(key, lane);
    return this.#inTurn(key, lane, work);
  }

  async #inTurn<T>(key: string, lane: Lane, work: () => Promise<T>): Promise<T> {
    if (lane.underWay < this.#mostUnderWay) lane.underWay += 1;
    else await new Promise<void>((begin) => lane.waiting.push(begin)); // a call that ends passes its place to the next waiting call
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next === undefined) lane.underWay -= 1;
      else next();
      if (lane.underWay === 0) this.#lanes.delete(key);
    }
  }
}
