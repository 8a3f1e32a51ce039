/**
 * At the start and once an hour, removes the records that are older than the settings allow. Each transaction (a turn) removes few rows,
 * so that no call waits long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { plainEvent } from '../core/grant/audit-event.ts';
import { type Result, success } from '../core/result.ts';
import {
  RETENTION_CLASSES,
  type RetentionClass,
  type RetentionTurn,
  type TurnOutcome,
} from '../store/retention-rows.ts';
import type { StoreWriter } from '../store/store.ts';
import type { Refusal } from './refusal.ts';
import { change, type ServerParts } from './server-ports.ts';

/** How long each class is kept, ms; null: for ever. */
export type KeptTimes = Readonly<Record<RetentionClass, number | null>>;

export const KEEP_ALL: KeptTimes = { requests: null, uses: null, events: null };

const EVERY_MS = 3_600_000;
/** How often the timer checks whether an hour is over. A timer of one hour would be late if the wall clock jumps forward. */
const LOOK_MS = 60_000;
/** The pause between two turns. Other calls can use the database in the pause. */
const PAUSE_MS = 20;
/** The most rows that one turn removes. A request can be long; an event is short. */
const ROWS_A_TURN: Readonly<Record<RetentionClass, number>> = { requests: 100, uses: 500, events: 500 };

export class Retention {
  readonly #parts: () => ServerParts;
  readonly #rowsATurn: Readonly<Record<RetentionClass, number>>;
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  /** @param parts is not called before `start` */
  constructor(parts: () => ServerParts, rowsATurn = ROWS_A_TURN) {
    this.#parts = parts;
    this.#rowsATurn = rowsATurn;
  }

  /** Removes old records now, and begins the timer. Does nothing if all classes are kept for ever. */
  start(): void {
    const { keptTimes } = this.#parts();
    if (RETENTION_CLASSES.every((kind) => keptTimes[kind] === null)) return;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
    void this.look();
  }

  /** Ends all removals for good. Resolves when the turn under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#working;
  }

  /**
   * Removes old records if the last removal began at least an hour ago. Does nothing after `stop`. Resolves when no removal is under way;
   * never rejects.
   */
  look(): Promise<void> {
    const parts = this.#parts();
    const nowMs = parts.clock.nowMs();
    const sinceMs = nowMs - this.#lastMs; // negative after a jump of the wall clock backwards
    if (this.#isStopped || this.#working !== null || (sinceMs >= 0 && sinceMs < EVERY_MS))
      return this.#working ?? Promise.resolve();
    this.#lastMs = nowMs;
    this.#working = this.#removeAll(parts, nowMs)
      .catch((error: unknown) => parts.log.error({ error }, 'removing old records failed'))
      .finally(() => {
        this.#working = null;
      });
    return this.#working;
  }

  async #removeAll(parts: ServerParts, nowMs: number): Promise<void> {
    for (const kind of RETENTION_CLASSES) {
      const keptMs = parts.keptTimes[kind];
      if (keptMs !== null) await this.#removeClass(parts, kind, nowMs - keptMs, nowMs);
    }
  }

  async #removeClass(parts: ServerParts, kind: RetentionClass, beforeMs: number, nowMs: number): Promise<void> {
    const limit = this.#rowsATurn[kind];
    for (let fromMs = 0; !this.#isStopped; ) {
      const turn = { beforeMs, fromMs, nowMs, limit };
      const removed = await change(parts, (rows) => removeAndRecord(rows, kind, turn));
      if (!removed.ok || removed.value.count === 0) return; // `change` logs a failure; the next attempt comes in an hour
      parts.log.info(
        { class: kind, count: removed.value.count, beforeMs },
        'removed records that are not kept any longer',
      );
      fromMs = removed.value.lastAtMs;
      await sleep(PAUSE_MS);
    }
  }
}

/** Removes the rows of one turn, and records the removal in the same transaction. */
async function removeAndRecord(
  rows: StoreWriter,
  kind: RetentionClass,
  turn: RetentionTurn,
): Promise<Result<TurnOutcome, Refusal>> {
  await rows.lockRequest('retention', '');
  const outcome = await rows.retention.removeOld(kind, turn);
  const { count, lastSeq } = outcome;
  if (count > 0)
    rows.record(plainEvent('record.cut', null, turn.nowMs, { class: kind, count, lastSeq, beforeMs: turn.beforeMs }));
  return success(outcome);
}
