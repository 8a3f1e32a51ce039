/** Stores the policies, which are the rules of approvers. `StoreReader` in `store.ts` says what the functions `read…` return. */
import type { Kysely } from 'kysely';
import type { Policy } from '../core/policy/policy.ts';
import type { SealedPolicy } from '../core/wire/sealed.ts';
import type { Tables } from './sql-tables.ts';

export interface PolicyRow {
  id: string;
  effect: Policy['effect'];
  requester_id: string | null;
  rule: string;
  reason: string;
  created_by: string;
  created_at_ms: number;
  ended_at_ms: number | null;
  uses: number;
  sealed: string | null;
  sealed_by: string | null;
}

/** Does not check the shape of `rule`: the server has checked each stored policy. */
export const policyOf = (row: PolicyRow): Policy =>
  ({
    id: row.id,
    effect: row.effect,
    requesterId: row.requester_id,
    rule: JSON.parse(row.rule) as unknown,
    reason: row.reason,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    endedAtMs: row.ended_at_ms,
    uses: row.uses,
    ...(row.sealed === null ? {} : { sealed: JSON.parse(row.sealed) as SealedPolicy }),
  }) as Policy;

const policyRow = (policy: Policy): PolicyRow => ({
  ...sealColumns(policy),
  id: policy.id,
  effect: policy.effect,
  requester_id: policy.requesterId,
  rule: JSON.stringify(policy.rule),
  reason: policy.reason,
  created_by: policy.createdBy,
  created_at_ms: policy.createdAtMs,
  ended_at_ms: policy.endedAtMs,
  uses: policy.uses,
});

function sealColumns(policy: Policy): Pick<PolicyRow, 'sealed' | 'sealed_by'> {
  const sealed = policy.effect === 'allow-reading' ? policy.sealed : undefined;
  return sealed === undefined
    ? { sealed: null, sealed_by: null }
    : { sealed: JSON.stringify(sealed), sealed_by: sealed.seal.keyId };
}

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
