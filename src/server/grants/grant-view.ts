/** A grant as the API shows it. */
import { stateAt } from '../../core/grant/grant.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { ListedGrant } from '../../store/listed-request.ts';

/**
 * Makes the view of a grant.
 * @param match the number that the requester's side shows and the approver has to pick; null: the view gets no number. Only the view for
 *              the requester may contain the number. If the grant is not pending, the view does not contain `match`
 */
export const grantView = (
  { approvedDeciding: _, ...grant }: ListedGrant,
  nowMs: number,
  publicUrl: string,
  match: string | null = null,
): GrantView => ({
  ...grant,
  state: stateAt(grant, nowMs),
  url: `${publicUrl}/grants/${grant.id}`,
  ...(match !== null && stateAt(grant, nowMs) === 'pending' ? { match } : {}),
});

export const pausedMember = (isPaused: boolean): Pick<GrantView, 'paused'> => (isPaused ? { paused: true } : {});
