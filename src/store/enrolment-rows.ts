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

/** Replaces an enrolment if it is pending, even if it has expired. If it is not pending, changes nothing and returns false. */
export async function rewriteEnrolment(db: Kysely<Tables>, enrolment: Enrolment) {
  const { numUpdatedRows } = await db
    .updateTable('enrolments')
    .set(enrolmentRow(enrolment))
    .where('id', '=', enrolment.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
