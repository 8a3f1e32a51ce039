/** Decides whether several requests can be approved together. Both the inbox and the server use this check. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/**
 * Returns false for an empty list. For any other list, returns true if all of these conditions hold:
 * - All requests have the same `groupKey`, and no key is null. Requests with the same key (`BriefLines`) have the same risk, and the inbox
 *   shows each of these requests in full.
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
