/** Stores which requesters an approver or a limit has paused. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';

/**
 * @property byId   the approver who paused the requester; null: a limit paused the requester
 * @property reason the reason, for approvers to read
 */
export interface Pause {
  readonly requesterId: string;
  readonly sinceMs: number;
  readonly byId: string | null;
  readonly reason: string;
}

export interface PauseRow {
  requester_id: string;
  since_ms: number;
  by_id: string | null;
  reason: string;
}

export const pauseOf = (row: PauseRow): Pause => ({
  requesterId: row.requester_id,
  sinceMs: Number(row.since_ms),
  byId: row.by_id,
  reason: row.reason,
});

/** Reads all pauses, the oldest first. */
export async function readPauses(db: Kysely<Tables>): Promise<readonly Pause[]> {
  return (await db.selectFrom('requester_pauses').selectAll().orderBy('since_ms').execute()).map(pauseOf);
}

/** Returns false, and changes nothing, if the requester is paused already. */
export async function writePause(db: Kysely<Tables>, pause: Pause): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('requester_pauses')
    .values({ requester_id: pause.requesterId, since_ms: pause.sinceMs, by_id: pause.byId, reason: pause.reason })
    .onConflict((conflict) => conflict.column('requester_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns false if the requester was not paused. */
export async function removePause(db: Kysely<Tables>, requesterId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('requester_pauses')
    .where('requester_id', '=', requesterId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
