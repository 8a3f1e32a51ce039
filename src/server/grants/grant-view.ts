/** A grant as the API shows it. */
import { stateAt } from '../../core/grant/grant.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { ListedGrant } from '../../store/listed-request.ts';

/**
 * Makes the view of a grant.
 * @param match the number that the approver has to pick; null: there is no number. Only the requester may see the number. If the grant is
 *              not pending, the view does not contain `match`
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
