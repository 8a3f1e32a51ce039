/** Stores the sign-ins of people. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';
import type { ApproverSession } from './store.ts';
import { subjectOf } from './subject-rows.ts';

/** `readSessions` returns at most this many sign-ins. This is enough, because a person has fewer browsers. */
export const MAX_LISTED_SESSIONS = 200;

export interface SessionRow {
  hash: string;
  subject_id: string;
  created_at_ms: number;
  expires_at_ms: number;
  last_seen_at_ms: number;
  passkey_id: string | null;
  browser: string | null;
}

const sessionRow = (session: ApproverSession): SessionRow => ({
  hash: session.hash,
  subject_id: session.subjectId,
  created_at_ms: session.createdAtMs,
  expires_at_ms: session.expiresAtMs,
  last_seen_at_ms: session.lastSeenAtMs,
  passkey_id: session.passkeyId,
  browser: session.browser,
});

const sessionOfRow = (row: SessionRow): ApproverSession => ({
  hash: row.hash,
  subjectId: row.subject_id,
  createdAtMs: row.created_at_ms,
  expiresAtMs: row.expires_at_ms,
  lastSeenAtMs: row.last_seen_at_ms,
  passkeyId: row.passkey_id,
  browser: row.browser,
});

/** Returns undefined if there is no such session, if the session has ended, or if the person was revoked. */
export async function readSessionHolder(db: Kysely<Tables>, hash: string, nowMs: number) {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('subjects', 'subjects.id', 'sessions.subject_id')
    .selectAll('subjects')
    .select([
      'sessions.expires_at_ms',
      'sessions.last_seen_at_ms',
      'sessions.passkey_id',
      'sessions.browser',
      'sessions.created_at_ms as session_created_at_ms',
    ])
    .where('sessions.hash', '=', hash)
    .where('sessions.expires_at_ms', '>', nowMs)
    .where('subjects.revoked_at_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const session = sessionOfRow({ ...row, hash, subject_id: row.id, created_at_ms: row.session_created_at_ms });
  return { subject: subjectOf(row), session };
}

/** Returns the live sign-ins of a person, the last used one first. */
export async function readSessions(
  db: Kysely<Tables>,
  subjectId: string,
  nowMs: number,
): Promise<readonly ApproverSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .where('expires_at_ms', '>', nowMs)
    .orderBy('last_seen_at_ms', 'desc')
    .orderBy('hash')
    .limit(MAX_LISTED_SESSIONS)
    .execute();
  return rows.map(sessionOfRow);
}

/** Removes the sign-ins of a person, except the sign-in with `exceptHash`; null: no exception. Returns how many rows were removed. */
export async function removeSessions(
  db: Kysely<Tables>,
  subjectId: string,
  exceptHash: string | null,
): Promise<number> {
  let query = db.deleteFrom('sessions').where('subject_id', '=', subjectId);
  if (exceptHash !== null) query = query.where('hash', '!=', exceptHash);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function writeSession(db: Kysely<Tables>, session: ApproverSession) {
  await db.insertInto('sessions').values(sessionRow(session)).execute();
}

export async function touchSession(db: Kysely<Tables>, hash: string, lastSeenAtMs: number, expiresAtMs: number) {
  await db
    .updateTable('sessions')
    .set({ last_seen_at_ms: lastSeenAtMs, expires_at_ms: expiresAtMs })
    .where('hash', '=', hash)
    .execute();
}

export async function removeSession(db: Kysely<Tables>, hash: string) {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute();
}
