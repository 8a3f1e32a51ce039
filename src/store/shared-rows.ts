/**
 * Queries and writes for several calls at once. PostgreSQL gets one statement for all of them, because each statement costs a
 * round trip and wakes another process. SQLite gets one statement for each, because it runs in this process.
 */
import { countUseQuery, insertUnnumberedQuery, pauseQuery, sameRequestQuery, tokenHolderQuery } from './hot-queries.ts';
import type { PauseRow } from './pause-rows.ts';
import type { Execute, PreparedQueries, PreparedQuery } from './prepared-query.ts';
import type { GrantRow, SubjectRow, UnnumberedEventRow } from './sql-tables.ts';

export interface SameRequest {
  readonly requesterId: string;
  readonly fingerprint: string;
}

export interface TokenHolderRow extends SubjectRow {
  readonly hash: string;
  readonly expires_at_ms: number;
}

/** A standing grant after its use; it is written only over version `before`. */
export interface CountedUse extends Pick<GrantRow, 'id' | 'version' | 'uses' | 'used_at_ms'> {
  readonly before: number;
}

export interface SharedRows {
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<readonly TokenHolderRow[]>;
  pauses(requesterIds: readonly string[]): Promise<readonly PauseRow[]>;
  /** Approved and live grants for these requests, locked. Does not wait for grants that another transaction holds: they may be missing. */
  holdGrantsFor(requests: readonly SameRequest[], nowMs: number): Promise<readonly GrantRow[]>;
  /** Returns how many of the grants had the version `before`; `uses` must name no id twice. */
  countUses(uses: readonly CountedUse[]): Promise<number>;
  insertUnnumbered(events: readonly UnnumberedEventRow[]): Promise<void>;
}

export type SharedRowsOn = (prepared: PreparedQueries, execute: Execute) => SharedRows;

/** For a database in this process, where each statement is cheap. */
export const rowByRow: SharedRowsOn = (prepared, execute) => {
  const run = <Values extends object, Row>(query: PreparedQuery<Values, Row>, values: Values) =>
    prepared.run(execute, query, values);
  return {
    async tokenHolders(hashes, nowMs) {
      const found: TokenHolderRow[] = [];
      for (const hash of hashes) found.push(...(await run(tokenHolderQuery, { hash, nowMs })).rows);
      return found;
    },
    async pauses(requesterIds) {
      const found: PauseRow[] = [];
      for (const requesterId of requesterIds) found.push(...(await run(pauseQuery, { requesterId })).rows);
      return found;
    },
    async holdGrantsFor(requests, nowMs) {
      const found: GrantRow[] = [];
      for (const request of requests)
        found.push(...(await run(sameRequestQuery, { ...request, state: 'approved' as const, nowMs })).rows);
      return found;
    },
    async countUses(uses) {
      let count = 0;
      for (const use of uses) count += (await run(countUseQuery, use)).changes;
      return count;
    },
    async insertUnnumbered(events) {
      for (const event of events) await run(insertUnnumberedQuery, event);
    },
  };
};
