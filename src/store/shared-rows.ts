/**
 * What calls of one moment ask of the database together. PostgreSQL gets one statement for all of them: each statement costs
 * a message there and back, and wakes another process. SQLite is asked for one after the other, in this process.
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

/** A standing grant after its use, over its version `before`. */
export interface CountedUse extends Pick<GrantRow, 'id' | 'version' | 'uses' | 'used_at_ms'> {
  readonly before: number;
}

export interface SharedRows {
  tokenHolders(hashes: readonly string[], nowMs: number): Promise<readonly TokenHolderRow[]>;
  pauses(requesterIds: readonly string[]): Promise<readonly PauseRow[]>;
  /** Approved and live; what another transaction holds may be left out, and is not waited for. */
  holdGrantsFor(requests: readonly SameRequest[], nowMs: number): Promise<readonly GrantRow[]>;
  /** How many of them had the version before; no id twice. */
  countUses(uses: readonly CountedUse[]): Promise<number>;
  insertUnnumbered(events: readonly UnnumberedEventRow[]): Promise<void>;
}

export type SharedRowsOn = (prepared: PreparedQueries, execute: Execute) => SharedRows;

/** Where a statement costs no more than its work. */
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
