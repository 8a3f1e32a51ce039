/** Stores the policies, which are the rules of approvers. `StoreReader` in `store.ts` says what the functions `read…` return. */
import type { Kysely } from 'kysely';
import type { Policy } from '../core/policy/policy.ts';
import { policyOf, policyRow, type Tables } from './sql-tables.ts';

export async function readPolicy(db: Kysely<Tables>, id: string) {
  const row = await db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();
  return row && policyOf(row);
}

export async function readPolicies(db: Kysely<Tables>, filter: { readonly isLive: boolean; readonly limit: number }) {
  let query = db.selectFrom('policies').selectAll().orderBy('created_at_ms', 'desc').orderBy('id').limit(filter.limit);
  query = query.where('ended_at_ms', filter.isLive ? 'is' : 'is not', null);
  return (await query.execute()).map(policyOf);
}

export async function readLivePolicies(db: Kysely<Tables>) {
  const rows = await db.selectFrom('policies').selectAll().where('ended_at_ms', 'is', null).execute();
  return rows.map(policyOf);
}

export async function writePolicy(db: Kysely<Tables>, policy: Policy) {
  await db.insertInto('policies').values(policyRow(policy)).execute();
}

/** Returns false if the policy has ended already, or does not exist. */
export async function writePolicyEnd(db: Kysely<Tables>, id: string, atMs: number) {
  const { numUpdatedRows } = await db
    .updateTable('policies')
    .set({ ended_at_ms: atMs })
    .where('id', '=', id)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Counts a use. Returns false if the policy has ended, or does not exist. */
export async function countPolicyUse(db: Kysely<Tables>, id: string) {
  const { numUpdatedRows } = await db
    .updateTable('policies')
    .set((now) => ({ uses: now('uses', '+', 1) }))
    .where('id', '=', id)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
