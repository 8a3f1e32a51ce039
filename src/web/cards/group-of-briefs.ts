/** Whether the inbox offers to approve several requests together. The server asks the same before it approves them. */
import { hasOddVariables } from './card-environment.ts';
import type { Brief } from './grant-rows.ts';

/** They are of one group, so of one risk; none needs a number, and the list shows each one whole. */
export function mayApproveTogether(briefs: readonly Brief[]): boolean {
  const [first] = briefs;
  return (
    first !== undefined &&
    first.groupKey !== null &&
    (first.risk === 'low' || first.risk === 'medium') &&
    briefs.every(({ groupKey, grant }) => groupKey === first.groupKey && !hasOddVariables(grant.request))
  );
}
