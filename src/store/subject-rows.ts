/** Stores the subjects: hosts and people. Each function that reads subjects returns revoked subjects too. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';
import type { Role, Subject } from './store.ts';

export interface SubjectRow {
  id: string;
  role: 'requester' | 'approver';
  duty: string | null;
  name: string;
  host: string;
  user_name: string;
  public_key: string | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
}

export const subjectOf = (row: SubjectRow): Subject => ({
  id: row.id,
  role: roleOf(row),
  name: row.name,
  host: row.host,
  user: row.user_name,
  publicKey: row.public_key,
  createdAtMs: row.created_at_ms,
  revokedAtMs: row.revoked_at_ms,
});

/**
 * `duty` restricts the role `approver`. Older programs do not read `duty`: they treat a subject with a duty as an approver. An unknown
 * `duty` gives the rights of an auditor, which are the fewest rights.
 */
function roleOf({ role, duty }: SubjectRow): Role {
  if (duty === null) return role;
  return duty === 'break-glass' ? 'break-glass' : 'auditor';
}

const dutyOf = (role: Role): string | null => (role === 'auditor' || role === 'break-glass' ? role : null);

const subjectRow = (subject: Subject): SubjectRow => ({
  id: subject.id,
  role: subject.role === 'requester' ? 'requester' : 'approver',
  duty: dutyOf(subject.role),
  name: subject.name,
  host: subject.host,
  user_name: subject.user,
  public_key: subject.publicKey,
  created_at_ms: subject.createdAtMs,
  revoked_at_ms: subject.revokedAtMs,
});

export async function readSubject(db: Kysely<Tables>, id: string) {
  const row = await db.selectFrom('subjects').selectAll().where('id', '=', id).executeTakeFirst();
  return row && subjectOf(row);
}

export async function readSubjectByPublicKey(db: Kysely<Tables>, publicKey: string) {
  const row = await db.selectFrom('subjects').selectAll().where('public_key', '=', publicKey).executeTakeFirst();
  return row && subjectOf(row);
}

/** Returns all requesters, sorted by name. */
export async function readRequesterSubjects(db: Kysely<Tables>) {
  const rows = await db
    .selectFrom('subjects')
    .selectAll()
    .where('role', '=', 'requester')
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map(subjectOf);
}

export async function writeSubject(db: Kysely<Tables>, subject: Subject) {
  await db.insertInto('subjects').values(subjectRow(subject)).execute();
}

/** Returns false if no subject has this id, or if the subject is revoked already. */
export async function writeRevocation(db: Kysely<Tables>, id: string, atMs: number) {
  const { numUpdatedRows } = await db
    .updateTable('subjects')
    .set({ revoked_at_ms: atMs })
    .where('id', '=', id)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns false if the subject is neither approver nor auditor, is revoked, or does not exist. */
export async function writeRole(db: Kysely<Tables>, id: string, role: 'approver' | 'auditor') {
  const { numUpdatedRows } = await db
    .updateTable('subjects')
    .set({ duty: dutyOf(role) })
    .where('id', '=', id)
    .where('role', '=', 'approver')
    .where((is) => is.or([is('duty', 'is', null), is('duty', '<>', 'break-glass')]))
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
