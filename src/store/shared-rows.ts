/**
 * Reads and writes for several calls at once. PostgreSQL gets one statement for all calls, because each statement costs a round
 * trip and wakes another process. SQLite gets one statement for each call, because it runs in this process.
 */
import { insertUnnumberedQuery, tokenHolderQuery } from './hot-queries.ts';
import type { Execute, PreparedQueries } from './prepared-query.ts';
import type { SubjectRow, UnnumberedEventRow } from './sql-tables.ts';

export interface TokenHolderRow extends SubjectRow {
  readonly hash: string;
  readonly expires_at_ms: number;
}

export interface SharedRows {
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<readonly TokenHolderRow[]>;
  insertUnnumbered(events: readonly UnnumberedEventRow[]): Promise<void>;
}

export type SharedRowsOn = (prepared: PreparedQueries, execute: Execute) => SharedRows;

/** For a database in this process, where each statement is cheap. */
export const rowByRow: SharedRowsOn = (prepared, execute) => ({
  async tokenHolders(hashes, nowMs) {
    const found: TokenHolderRow[] = [];
    for (const hash of hashes) found.push(...(await prepared.run(execute, tokenHolderQuery, { hash, nowMs })).rows);
    return found;
  },
  async insertUnnumbered(events) {
    for (const event of events) await prepared.run(execute, insertUnnumberedQuery, event);
  },
});
