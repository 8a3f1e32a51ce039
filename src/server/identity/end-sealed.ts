/** Revokes the grants and ends the policies that a removed key has sealed. Hosts no longer accept the key, so requesters must ask again. */
import { grantEvent, plainEvent } from '../../core/grant/audit-event.ts';
import { transition } from '../../core/grant/grant.ts';
import type { StoreWriter } from '../../store/store.ts';

/**
 * Throws if another call changes a grant that this call has locked.
 * @param keyId   the removed key
 * @param actorId the approver who removed the key; null: the key was removed from the command line on the server's machine. A revoked
 *                grant must name a person. If `actorId` is null, the grant names the person who approved the grant
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
    if (!revoked.ok) continue; // the grant has ended already
    if (!(await rows.replaceGrant(revoked.value))) throw new Error(`grant ${grant.id} changed while it was held`);
    rows.record(grantEvent('grant.revoked', revoked.value, actorId, nowMs, { sealKey: keyId }));
  }
  for (const { id } of policies)
    if (await rows.endPolicy(id, nowMs))
      rows.record(plainEvent('policy.ended', actorId, nowMs, { policyId: id, sealKey: keyId }));
}
