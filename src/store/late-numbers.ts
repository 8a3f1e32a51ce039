/**
 * Uses and reports are numbered after their commit, many at once. The numbers of events follow the order of commits, so a
 * transaction that numbers holds all others back until it ends; the commit of a use would wait for that of the use before,
 * on every server. What was committed without a number is in a table of its own, and nothing of it is lost with a server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditKind } from '../core/grant/audit-event.ts';
import { anyUnnumberedQuery, holdHeadQuery, MAX_NUMBERED, numberEventsQuery } from './hot-queries.ts';
import type { Execute, PreparedQueries } from './prepared-query.ts';
import type { SqlBackend } from './sql-store.ts';

/** No reader decides by them: after such an event the same grants and rules count as before. */
export const LATE_KINDS: ReadonlySet<AuditKind> = new Set([
  'grant.used',
  'policy.used',
  'line.finished',
  'line.refused',
]);

/** How long uses are collected before they are numbered. A reader of the record does not wait for it: it calls `settle` itself. */
const COLLECT_MS = 20;

export class LateNumbers {
  readonly #backend: Pick<SqlBackend, 'execute' | 'transaction'>;
  readonly #prepared: PreparedQueries;
  readonly #onNumbered: () => void;
  #isUnderWay = false;
  #isOwed = false;

  /** @param onNumbered is called after each commit that gave numbers */
  constructor(backend: Pick<SqlBackend, 'execute' | 'transaction'>, prepared: PreparedQueries, onNumbered: () => void) {
    this.#backend = backend;
    this.#prepared = prepared;
    this.#onNumbered = onNumbered;
  }

  /**
   * Whatever is committed now gets its numbers; what comes meanwhile may wait for the next call. Call it before the record is
   * read: what was answered is then in it.
   */
  async settle(): Promise<void> {
    if (!(await this.#isAnyLeft())) return;
    for (let count = MAX_NUMBERED; count === MAX_NUMBERED; ) {
      count = await this.#backend.transaction(({ execute }) => numberOnce(this.#prepared, execute));
      if (count > 0) this.#onNumbered();
    }
  }

  /** As `settle`, in the background and after `COLLECT_MS`; what fails is done by the next call. */
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
}

/**
 * Up to `MAX_NUMBERED` events get their numbers, within a transaction; how many. The head is held first: two servers that delete
 * the same rows in another order would deadlock.
 */
export async function numberOnce(prepared: PreparedQueries, execute: Execute): Promise<number> {
  await prepared.run(execute, holdHeadQuery, {});
  return (await prepared.run(execute, numberEventsQuery, {})).changes;
}
