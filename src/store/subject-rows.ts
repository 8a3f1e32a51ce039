/** Stores the subjects: hosts and people. Each function that reads subjects returns revoked subjects too. */
import type { Kysely } from 'kysely';
import { dutyOf, subjectOf, subjectRow, type Tables } from './sql-tables.ts';
import type { Subject } from './store.ts';

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
