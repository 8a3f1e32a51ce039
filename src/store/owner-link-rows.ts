/** Stores the one-time links with which people sign in. */
import type { Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';
import type { Credential } from './store.ts';

export interface CredentialRow {
  hash: string;
  subject_id: string;
  created_at_ms: number;
  expires_at_ms: number;
}

export const credentialRow = (credential: Credential): CredentialRow => ({
  hash: credential.hash,
  subject_id: credential.subjectId,
  created_at_ms: credential.createdAtMs,
  expires_at_ms: credential.expiresAtMs,
});

export async function isOwnerLinkLive(db: Kysely<Tables>, hash: string, nowMs: number) {
  const row = await db
    .selectFrom('owner_links')
    .innerJoin('subjects', 'subjects.id', 'owner_links.subject_id')
    .select('owner_links.hash')
    .where('owner_links.hash', '=', hash)
    .where('owner_links.used_at_ms', 'is', null)
    .where('owner_links.expires_at_ms', '>', nowMs)
    .where('subjects.revoked_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function writeOwnerLink(db: Kysely<Tables>, link: Credential) {
  await db
    .insertInto('owner_links')
    .values({ ...credentialRow(link), used_at_ms: null })
    .execute();
}

/** Returns the id of the link's subject. Returns undefined if the link is spent, too old or unknown, or if the subject is revoked. */
export async function spendOwnerLink(db: Kysely<Tables>, hash: string, nowMs: number) {
  const row = await db
    .updateTable('owner_links')
    .set({ used_at_ms: nowMs })
    .where('hash', '=', hash)
    .where('used_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .where('subject_id', 'in', (rows) => rows.selectFrom('subjects').select('id').where('revoked_at_ms', 'is', null))
    .returning('subject_id')
    .executeTakeFirst();
  return row?.subject_id;
}
