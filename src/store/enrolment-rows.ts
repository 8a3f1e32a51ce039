/** Stores enrolments: the requests of hosts to use this server. */
import type { Kysely } from 'kysely';
import { enrolmentOf, enrolmentRow, type Tables } from './sql-tables.ts';
import type { Enrolment } from './store.ts';

/** Returns the enrolment with this id, also after its decision or expiry; undefined: no enrolment has this id. */
export async function readEnrolment(db: Kysely<Tables>, id: string) {
  const row = await db.selectFrom('enrolments').selectAll().where('id', '=', id).executeTakeFirst();
  return row && enrolmentOf(row);
}

/** Returns the pending enrolments that have not expired, the newest first. */
export async function readPendingEnrolments(db: Kysely<Tables>, nowMs: number) {
  const rows = await db
    .selectFrom('enrolments')
    .selectAll()
    .where('state', '=', 'pending')
    .where('expires_at_ms', '>', nowMs)
    .orderBy('created_at_ms', 'desc')
    .execute();
  return rows.map(enrolmentOf);
}

export async function writeEnrolment(db: Kysely<Tables>, enrolment: Enrolment) {
  await db.insertInto('enrolments').values(enrolmentRow(enrolment)).execute();
}

/**
 * Stores the nonce of a pending enrolment, even if the enrolment has expired. If the enrolment already has a nonce or is not pending,
 * changes nothing and returns false.
 */
export async function writeNonce(db: Kysely<Tables>, id: string, nonce: string) {
  const { numUpdatedRows } = await db
    .updateTable('enrolments')
    .set({ nonce })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('nonce', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Stores the decision about a pending enrolment, even if the enrolment has expired. If the enrolment is not pending, changes nothing and
 * returns false. The other columns stay: another transaction can write the nonce meanwhile.
 */
export async function rewriteEnrolment(db: Kysely<Tables>, enrolment: Enrolment) {
  const { state, decided_at_ms, decided_by, requester_id } = enrolmentRow(enrolment);
  const { numUpdatedRows } = await db
    .updateTable('enrolments')
    .set({ state, decided_at_ms, decided_by, requester_id })
    .where('id', '=', enrolment.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
