/** Revokes the grants and ends the policies that a removed key has sealed. No host accepts their seals; requesters have to ask again. */
import { grantEvent, plainEvent } from '../../core/grant/audit-event.ts';
import { transition } from '../../core/grant/grant.ts';
import type { StoreWriter } from '../../store/store.ts';

/**
 * Throws if another call has changed a grant that is locked here.
 * @param keyId   the removed key
 * @param actorId the approver who removed the key; null: the command line on the server's machine removed it. A revoked grant has to name a
 *                person; for null, this is the person who approved the grant
 */
export async function endSealedBy(
  rows: StoreWriter,
  keyId: string,
  actorId: string | null,
  nowMs: number,
): Promise<void> {
  const { grants, policies } = await rows.approvedBySeal(keyId);
  for (const grant of await rows.holdGrants(grants.map(({ id }) => id))) {
    const revoked = transition(grant, { kind: 'revoke', by: actorId ?? grant.decidedBy ?? '' }, nowMs);
    if (!revoked.ok) continue; // the grant has ended by itself
    if (!(await rows.replaceGrant(revoked.value))) throw new Error(`grant ${grant.id} changed while it was held`);
    rows.record(grantEvent('grant.revoked', revoked.value, actorId, nowMs, { sealKey: keyId }));
  }
  for (const { id } of policies)
    if (await rows.endPolicy(id, nowMs))
      rows.record(plainEvent('policy.ended', actorId, nowMs, { policyId: id, sealKey: keyId }));
}
