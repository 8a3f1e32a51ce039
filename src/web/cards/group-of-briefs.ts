/** Decides whether several requests can be approved together, for the inbox, and again for the server before it approves them. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/**
 * Whether all of this is true; false for an empty list:
 * - All requests are of one group. So they have one risk, and the inbox shows each of them whole.
 * - The risk is low or medium. At any other risk, the approver has to pick a number for each request.
 * - No request has an unusual variable.
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
