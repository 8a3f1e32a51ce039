/**
 * Reads and writes several rows. PostgreSQL gets one statement for all rows: each statement costs a round trip and wakes another process.
 * SQLite runs in this process. So SQLite gets one statement for each row.
 */

import type { EventColumns, UnnumberedEventRow } from './event-rows.ts';
import { advanceHeadQuery, insertEventQuery, insertUnnumberedQuery, tokenHolderQuery } from './hot-queries.ts';
import type { Execute, PreparedQueries } from './prepared-query.ts';
import type { SubjectRow } from './subject-rows.ts';

export interface TokenHolderRow extends SubjectRow {
  readonly hash: string;
  readonly expires_at_ms: number;
}

/** One statement gives numbers to at most this many waiting events. A waiting event has no number yet. */
export const MAX_NUMBERED = 1_000;

/**
 * @property lastSeq  the highest number that an event has now
 * @property numbered how many waiting events of other transactions got a number. If this is `MAX_NUMBERED`, the caller's own events were
 *                    not written, and the caller has to call again
 */
export interface Numbered {
  readonly lastSeq: number;
  readonly numbered: number;
}

export interface SharedRows {
  /** Returns the holders of these tokens, in no fixed order. Leaves out unknown tokens, expired tokens, and tokens of revoked subjects. */
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<readonly TokenHolderRow[]>;
  /** Writes waiting events: a later `appendEvents` gives these events their numbers. Not called for SQLite. */
  insertUnnumbered(events: readonly UnnumberedEventRow[]): Promise<void>;
  /**
   * First gives numbers to waiting events of other transactions, then writes `events` with the next numbers. Another transaction that
   * also gives numbers to events has to wait until the caller's transaction ends.
   */
  appendEvents(events: readonly EventColumns[]): Promise<Numbered>;
}

export type SharedRowsOn = (prepared: PreparedQueries, execute: Execute) => SharedRows;

/** Runs one statement for each row: for a database in this process, where a statement is cheap. */
export const rowByRow: SharedRowsOn = (prepared, execute) => ({
  async tokenHolders(hashes, nowMs) {
    const found: TokenHolderRow[] = [];
    for (const hash of hashes) found.push(...(await prepared.run(execute, tokenHolderQuery, { hash, nowMs })).rows);
    return found;
  },
  async insertUnnumbered(events) {
    for (const event of events) await prepared.run(execute, insertUnnumberedQuery, event);
  },
  async appendEvents(events) {
    const [head] = (await prepared.run(execute, advanceHeadQuery, { count: events.length })).rows;
    if (head === undefined) throw new Error('the table event_head is empty');
    const before = head.seq - events.length;
    for (const [at, event] of events.entries())
      await prepared.run(execute, insertEventQuery, { seq: before + at + 1, ...event });
    return { lastSeq: head.seq, numbered: 0 };
  },
});
