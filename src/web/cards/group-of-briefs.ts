/** Decides whether several requests can be approved together, for the inbox, and again for the server before it approves them. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/**
 * Whether the requests are of one group, and so of one risk, at which no number is needed, and none has an unusual variable. The list shows
 * each request of a group whole.
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
