/** Reads a grant if the caller may see it: a requester may see its own grants, every other caller may see all grants. */
import type { Grant } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';

export const noSuchGrant = refusal('grant.not_found', 'there is no such grant');

/** Fails with `grant.not_found`, or with `grant.not_yours` if another requester has filed the grant. */
export async function visibleGrant(
  rows: StoreReader,
  grantId: string,
  caller: Subject,
): Promise<Result<Grant, Refusal>> {
  const grant = await rows.grant(grantId);
  if (grant === undefined) return failed(noSuchGrant);
  if (caller.role === 'requester' && grant.requesterId !== caller.id)
    return failed(refusal('grant.not_yours', 'this grant belongs to another requester'));
  return success(grant);
}
