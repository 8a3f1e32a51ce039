/** Stores enrolments: the requests of hosts to use this server. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';
import type { Enrolment } from './store.ts';

export interface EnrolmentRow {
  id: string;
  state: Enrolment['state'];
  name: string;
  host: string;
  user_name: string;
  public_key: string;
  commitment: string | null;
  nonce: string | null;
  created_at_ms: number;
  expires_at_ms: number;
  decided_at_ms: number | null;
  decided_by: string | null;
  requester_id: string | null;
}

const enrolmentOf = (row: EnrolmentRow): Enrolment => ({
  id: row.id,
  state: row.state,
  name: row.name,
  host: row.host,
  user: row.user_name,
  publicKey: row.public_key,
  commitment: row.commitment,
  nonce: row.nonce,
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
  decidedAtMs: row.decided_at_ms,
  decidedBy: row.decided_by,
  requesterId: row.requester_id,
});

const enrolmentRow = (enrolment: Enrolment): EnrolmentRow => ({
  id: enrolment.id,
  state: enrolment.state,
  name: enrolment.name,
  host: enrolment.host,
  user_name: enrolment.user,
  public_key: enrolment.publicKey,
  commitment: enrolment.commitment,
  nonce: enrolment.nonce,
  created_at_ms: enrolment.createdAtMs,
  expires_at_ms: enrolment.expiresAtMs,
  decided_at_ms: enrolment.decidedAtMs,
  decided_by: enrolment.decidedBy,
  requester_id: enrolment.requesterId,
});

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
