/** Finds the requester's newest approved request. An approver has seen that request, so a card shows the differences from it. */
import type { Grant } from '../../core/grant/grant.ts';
import type { StoreReader } from '../../store/store.ts';

/**
 * Returns the newest request that was approved, even if an older request was approved later. The approval may be used or expired, but not
 * revoked. Returns null if there is no such request.
 * @param exceptId the id of a grant to leave out; undefined: no grant is left out
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
