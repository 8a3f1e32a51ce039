/**
 * Counts how many other people have to approve a request that one person has approved. While approvals of other people are missing, the
 * pages do not let this person approve again.
 */
import type { Grant } from '../../core/grant/grant.ts';
import { approvalsNeeded } from '../../core/people/may-decide.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { approvalRisk } from './approval-risk.ts';
import { type Counting, countingIn } from './quorum.ts';

/**
 * Returns how many other people still have to approve. Returns 0 if this person may approve the request now, for one of these reasons:
 * - this person has not approved the request yet
 * - the approval of this person has ended, or does not count any more
 * - one approval is enough to approve the exact request, without a scope
 * - enough people have approved. Fewer people may be needed now than before
 */
export async function othersStillNeeded(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  grant: Grant,
  personId: string,
  counting: Counting,
): Promise<number> {
  const { approvals } = grant;
  const own = approvals?.given.find(({ by }) => by === personId);
  if (approvals === undefined || own === undefined) return 0;
  const { term, scope, given } = approvals;
  const ends = [own.untilMs, term.kind === 'timed' ? term.untilMs : undefined];
  if (ends.some((endMs) => endMs !== undefined && endMs <= counting.nowMs)) return 0;
  const { quorum } = counting.rules;
  const exactRisk = await approvalRisk(parts, rows, grant, null);
  if (approvalsNeeded(quorum, exactRisk) === 1) return 0;
  const risk = scope === null ? exactRisk : await approvalRisk(parts, rows, grant, scope);
  const stillCounts = await countingIn(rows, grant, { ...counting, risk });
  const counted = given.filter(stillCounts);
  return counted.includes(own) ? Math.max(0, approvalsNeeded(quorum, risk) - counted.length) : 0;
}
