/** Finds the requester's newest approved request. An approver has seen it, so a card shows what differs from it. */
import type { Grant } from '../../core/grant/grant.ts';
import type { StoreReader } from '../../store/store.ts';

/**
 * Returns the approved request that was made last, even if another one was approved later. Its approval can be used or over, but not
 * revoked. Returns null if there is none.
 * @param exceptId the grant that is compared with the result; undefined: none
 */
export async function lastApproved(
  rows: StoreReader,
  requesterId: string,
  exceptId: string | undefined,
): Promise<Grant | null> {
  const newest = await rows.grants({ requesterId, states: ['approved', 'used'], limit: 2, nowMs: 0 });
  const last = newest.find(({ id }) => id !== exceptId);
  if (last === undefined) return null;
  return last.cutFrom === undefined ? last : ((await rows.grant(last.id)) ?? null);
}
