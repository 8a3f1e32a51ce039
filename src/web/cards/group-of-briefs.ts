/** Decides whether several requests can be approved together. The inbox and the server both check this. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/**
 * Returns true if all of these conditions hold, and false for an empty list:
 * - All requests have the same `groupKey`, and it is not null. So their risk is the same, and the inbox shows each request in full.
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
