/**
 * Numbers the events of uses and of reports. An event gets its number after its commit, and one transaction numbers many events. Event
 * numbers follow the order of commits, so transactions that give numbers wait for each other. If each use numbered its own event, the uses
 * on all servers would commit one after another. An event without a number is in a separate table, so a crash of a server loses no event.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditKind } from '../core/grant/audit-event.ts';
import { anyUnnumberedQuery } from './hot-queries.ts';
import type { Execute, PreparedQueries } from './prepared-query.ts';
import { MAX_NUMBERED } from './shared-rows.ts';
import type { SqlBackend } from './sql-store.ts';

/** The kinds of the events of uses and reports. No decision depends on these events, so they can get their numbers late. */
export const LATE_KINDS: ReadonlySet<AuditKind> = new Set([
  'grant.used',
  'policy.used',
  'line.finished',
  'line.refused',
]);

/** How long events are collected before they get numbers. A reader of the record calls `settle`, which numbers without this delay. */
const COLLECT_MS = 20;

export class LateNumbers {
  readonly #backend: Pick<SqlBackend, 'execute' | 'transaction' | 'shared'>;
  readonly #prepared: PreparedQueries;
  readonly #onNumbered: () => void;
  #isUnderWay = false;
  #isOwed = false;

  /** @param onNumbered called after each commit that gave numbers */
  constructor(
    backend: Pick<SqlBackend, 'execute' | 'transaction' | 'shared'>,
    prepared: PreparedQueries,
    onNumbered: () => void,
  ) {
    this.#backend = backend;
    this.#prepared = prepared;
    this.#onNumbered = onNumbered;
  }

  /**
   * Gives numbers to all events that were committed before the call. An event that is committed during the call possibly gets its number
   * only in the next call. Call this function before you read the record, so that no earlier use is missing. Rejects if the database
   * fails.
   */
  async settle(): Promise<void> {
    if (!(await this.#isAnyLeft())) return;
    for (let count = MAX_NUMBERED; count === MAX_NUMBERED; ) {
      count = await this.#backend.transaction(({ execute }) => this.#numberOnce(execute));
      if (count > 0) this.#onNumbered();
    }
  }

  /** Calls `settle` in the background, after `COLLECT_MS`. Ignores an error: the next `settle` numbers these events. */
  soon(): void {
    if (this.#isUnderWay) {
      this.#isOwed = true;
      return;
    }
    this.#isUnderWay = true;
    void this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    do {
      await sleep(COLLECT_MS, undefined, { ref: false });
      this.#isOwed = false;
      await this.settle().catch(() => {});
    } while (this.#isOwed);
    this.#isUnderWay = false;
  }

  async #isAnyLeft(): Promise<boolean> {
    const { rows } = await this.#prepared.run(this.#backend.execute, anyUnnumberedQuery, {});
    return rows.length > 0;
  }

  /** Numbers at most `MAX_NUMBERED` events: other transactions wait for this transaction. Returns how many events got a number. */
  async #numberOnce(execute: Execute): Promise<number> {
    return (await this.#backend.shared(this.#prepared, execute).appendEvents([])).numbered;
  }
}
