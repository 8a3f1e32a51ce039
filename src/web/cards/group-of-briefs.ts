/** Decides whether several requests can be approved together, for the inbox, and again for the server before it approves them. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/**
 * Whether all requests are of one group, the risk of the group needs no number, and no request has an unusual variable. All requests of a
 * group have one risk, and the list shows each of them whole. False for an empty list.
 */
export function mayApproveTogether(briefs: readonly Brief[]): boolean {
  const [first] = briefs;
  return (
    first !== undefined &&
    first.groupKey !== null &&
    (first.risk === 'low' || first.risk === 'medium') &&
    briefs.every(({ groupKey, grant }) => groupKey === first.groupKey && !hasOddVariables(grant.request))
  );
}
