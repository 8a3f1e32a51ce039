/** Lists and ends the sign-ins of people. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';
import type { ApproverSession } from './store.ts';

/** The most sign-ins that are listed, more than a person has browsers. The last used ones come first. */
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

export const sessionRow = (session: ApproverSession): SessionRow => ({
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

/** Removes the sign-ins of a person, except the one with `exceptHash`. Returns how many were removed. */
export async function removeSessions(
  db: Kysely<Tables>,
  subjectId: string,
  exceptHash: string | null,
): Promise<number> {
  let query = db.deleteFrom('sessions').where('subject_id', '=', subjectId);
  if (exceptHash !== null) query = query.where('hash', '!=', exceptHash);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}
