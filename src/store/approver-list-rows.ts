/**
 * Stores the sealed lists of approvers. Finds what a key has sealed: policies in force, and approved grants. Finds keys that the server does
 * not accept any more. `StoreReader` and
 * `StoreWriter` describe the functions of this file.
 */
import { type Kysely, sql } from 'kysely';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { grantOf } from './grant-rows.ts';
import { policyOf } from './policy-rows.ts';
import type { Tables } from './sql-tables.ts';
import type { NamedKeys } from './store.ts';

export async function readApproverLists(db: Kysely<Tables>, afterSequence: number, limit: number) {
  const rows = await db
    .selectFrom('approver_lists')
    .select('list')
    .where('sequence', '>', afterSequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(({ list }) => JSON.parse(list) as SealedApprovers);
}

export async function readApprovedBySeal(db: Kysely<Tables>, keyId: string) {
  const grants = await db
    .selectFrom('grants')
    .selectAll()
    .where('sealed_by', '=', keyId)
    .where('state', '=', 'approved')
    .execute();
  const byOthers = await db
    .selectFrom('grants')
    .selectAll()
    .where('state', '=', 'approved')
    .where('sealed_by', '<>', keyId)
    .where('approvals', 'is not', null)
    .execute();
  const others = byOthers.map(grantOf).filter(({ sealed }) => sealed?.also?.some(({ seal }) => seal.keyId === keyId));
  const policies = await db
    .selectFrom('policies')
    .selectAll()
    .where('sealed_by', '=', keyId)
    .where('ended_at_ms', 'is', null)
    .execute();
  return { grants: [...grants.map(grantOf), ...others], policies: policies.map(policyOf) };
}

/** One query for all keys: every host asks for the lists again and again. */
export async function readRefusedKeys(db: Kysely<Tables>, { publicKeys, credentials }: NamedKeys): Promise<NamedKeys> {
  const rows = await db
    .selectFrom('subjects')
    .select([sql<string>`'subject'`.as('kind'), 'public_key as key'])
    .where('public_key', 'in', orNone(publicKeys))
    .where('revoked_at_ms', 'is not', null)
    .unionAll(
      db
        .selectFrom('passkeys')
        .innerJoin('subjects', 'subjects.id', 'passkeys.subject_id')
        .select([sql<string>`'passkey'`.as('kind'), 'passkeys.credential_id as key'])
        .where('passkeys.credential_id', 'in', orNone(credentials))
        .where((is) =>
          is.or([
            is('passkeys.revoked_at_ms', 'is not', null),
            is('passkeys.copied_at_ms', 'is not', null),
            is('subjects.revoked_at_ms', 'is not', null),
          ]),
        ),
    )
    .execute();
  const keysOf = (kind: string) => rows.flatMap((row) => (row.kind === kind && row.key !== null ? [row.key] : []));
  return { publicKeys: keysOf('subject'), credentials: keysOf('passkey') };
}

/** SQL has no empty list of values. So a list without keys becomes a list with one empty text, which equals no key. */
const orNone = (keys: readonly string[]): readonly string[] => (keys.length === 0 ? [''] : keys);

export async function writeApprovers(db: Kysely<Tables>, sealed: SealedApprovers) {
  const { sequence } = sealed.document;
  await db
    .insertInto('approver_lists')
    .values({ sequence, list: JSON.stringify(sealed) })
    .execute();
}
