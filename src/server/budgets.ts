/**
 * What one caller may take, counted in this process. The plugins of Fastify for this count calls by route before they are
 * answered; here the cost counts (bytes that are held, failures, what is written), on kept connections as over HTTP.
 */
import type { Clock } from '../platform/clock.ts';

/** So many callers are remembered; who is forgotten starts with a full budget. */
const MAX_KEYS = 10_000;

interface Bucket {
  left: number;
  atMs: number;
}

/** So much at once, and so much a second after that. */
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

  /** False: it is used up, and nothing is taken. */
  take(key: string, amount = 1): boolean {
    const bucket = this.#bucket(key);
    if (bucket.left < amount) return false;
    bucket.left -= amount;
    return true;
  }

  /** From now on as if nothing had been taken. */
  refill(key: string): void {
    this.#buckets.delete(key);
  }

  #bucket(key: string): Bucket {
    const nowMs = this.#clock.elapsedMs();
    const known = this.#buckets.get(key);
    this.#buckets.delete(key); // at the end again: the first is the one that was not asked for longest
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= MAX_KEYS && oldest !== undefined) this.#buckets.delete(oldest);
    const refilled = known === undefined ? this.#most : known.left + ((nowMs - known.atMs) / 1_000) * this.#perSecond;
    const bucket = { left: Math.min(this.#most, refilled), atMs: nowMs };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** Bytes that are held for callers until their calls are complete: of one, and of all together. */
export class HeldBytes {
  readonly #mostOfAll: number;
  readonly #byKey = new Map<string, number>();
  #ofAll = 0;

  constructor(mostOfAll: number) {
    this.#mostOfAll = mostOfAll;
  }

  /** `own` or `all`: whose limit this would go beyond; nothing is held then. */
  hold(key: string, bytes: number, mostOfOne: number): 'held' | 'own' | 'all' {
    const held = (this.#byKey.get(key) ?? 0) + bytes;
    if (held > mostOfOne) return 'own';
    if (this.#ofAll + bytes > this.#mostOfAll) return 'all';
    this.#byKey.set(key, held);
    this.#ofAll += bytes;
    return 'held';
  }

  release(key: string, bytes: number): void {
    const left = (this.#byKey.get(key) ?? 0) - bytes;
    this.#ofAll -= bytes;
    if (left > 0) this.#byKey.set(key, left);
    else this.#byKey.delete(key);
  }
}

/** Places for what stays open: so many of one, and of all together. */
export class Places {
  readonly #mostOfOne: number;
  readonly #mostOfAll: number;
  readonly #byKey = new Map<string, number>();
  #ofAll = 0;

  constructor(limit: { readonly ofOne: number; readonly ofAll: number }) {
    this.#mostOfOne = limit.ofOne;
    this.#mostOfAll = limit.ofAll;
  }

  /** Taken before anything is waited for: of many that come at once only so many get in. How to give it up; null: none is left. */
  take(key: string): (() => void) | null {
    const own = this.#byKey.get(key) ?? 0;
    if (this.#ofAll >= this.#mostOfAll || own >= this.#mostOfOne) return null;
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

/** Calls of one caller: so many at the same time, the others in the order they came, so that all callers take turns. */
export class Lanes {
  readonly #mostUnderWay: number;
  readonly #mostWaiting: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(limit: { readonly underWay: number; readonly waiting: number }) {
    this.#mostUnderWay = limit.underWay;
    this.#mostWaiting = limit.waiting;
  }

  /** Null: too many wait already. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> | null {
    const lane = this.#lanes.get(key) ?? { underWay: 0, waiting: [] };
    if (lane.underWay >= this.#mostUnderWay && lane.waiting.length >= this.#mostWaiting) return null;
    this.#lanes.set(key, lane);
    return this.#inTurn(key, lane, work);
  }

  async #inTurn<T>(key: string, lane: Lane, work: () => Promise<T>): Promise<T> {
    if (lane.underWay < this.#mostUnderWay) lane.underWay += 1;
    else await new Promise<void>((begin) => lane.waiting.push(begin)); // a call that ends hands its place on
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
