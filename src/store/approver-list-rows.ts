/**
 * Stores the sealed lists of approvers. Finds what a key has sealed: policies in force, and approved grants. `StoreReader` and
 * `StoreWriter` describe the functions of this file.
 */
import type { Kysely } from 'kysely';
import type { SealedApprovers } from '../core/wire/sealed.ts';
import { grantOf, policyOf, type Tables } from './sql-tables.ts';

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

export async function writeApprovers(db: Kysely<Tables>, sealed: SealedApprovers) {
  const { sequence } = sealed.document;
  await db
    .insertInto('approver_lists')
    .values({ sequence, list: JSON.stringify(sealed) })
    .execute();
}
