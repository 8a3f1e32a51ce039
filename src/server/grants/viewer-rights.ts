/** What the viewer of a page may do about a request. The same rules apply as for the decision itself. */
import type { Risk } from '../../core/effects/permission.ts';
import { authorityOf, needsSeveralPeople, ruleOf } from '../../core/people/may-decide.ts';
import { ALL_RIGHTS, type ViewerRights } from '../../core/people/viewer-rights.ts';
import type { ListedGrant } from '../../store/listed-request.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { decidersOf, limitsOf, peopleRules, personOf } from '../identity/people-rules.ts';
import type { ServerParts } from '../server-ports.ts';
import { decisionCaseOf, WHY_NOT } from './approval-authority.ts';
import { approvalRisk } from './approval-risk.ts';
import { othersStillNeeded } from './own-approval.ts';

type Parts = Pick<ServerParts, 'rules' | 'mcpRules'>;
type RightsReader = (grant: ListedGrant) => Promise<ViewerRights>;

/**
 * Returns a function that reads what the viewer may do about a request. Returns null in place of the function in three cases:
 * - The viewer may decide everything.
 * - The viewer is an auditor. The pages of an auditor have no buttons.
 * - The rules for people cannot be read, so the rights are not known.
 */
export async function limitedRights(
  parts: Parts,
  rows: StoreReader,
  viewer: Subject,
  nowMs: number,
): Promise<RightsReader | null> {
  if (viewer.role !== 'approver') return null;
  const found = await peopleRules(rows);
  if (!found.ok) return null;
  const [rules, personId] = [found.value, personOf(viewer)];
  const { limits, own } = ruleOf(rules, personId);
  const isLimited = limits !== null || own.length > 0;
  if (!isLimited && !needsSeveralPeople(rules)) return null;
  const deciders = await decidersOf(rows);
  // A list contains only the beginning of a long text, but the risk depends on the whole text.
  const wholeOf = (grant: ListedGrant) => (grant.cutFrom === undefined ? Promise.resolve(grant) : rows.grant(grant.id));

  async function byLimits(grant: ListedGrant): Promise<ViewerRights> {
    const at = (risk: Risk | null) => authorityOf(rules, deciders, personId, decisionCaseOf(grant, risk, nowMs));
    if (!isLimited || at('critical').kind !== 'none') return ALL_RIGHTS;
    const lowest = at('low');
    if (lowest.kind === 'none') {
      const why = WHY_NOT[lowest.why];
      return { whyNotApprove: why, whyNotDeny: lowest.why === 'own-request' ? null : why };
    }
    const whole = await wholeOf(grant);
    const authority = at(whole === undefined ? null : await approvalRisk(parts, rows, whole, null));
    return authority.kind === 'none' ? { whyNotApprove: WHY_NOT[authority.why], whyNotDeny: null } : ALL_RIGHTS;
  }

  return async (grant) => {
    const rights = await byLimits(grant);
    if (rights.whyNotApprove !== null || grant.approvals === undefined) return rights;
    const whole = await wholeOf(grant);
    const counting = { rules, deciders, nowMs };
    const missing = whole === undefined ? 0 : await othersStillNeeded(parts, rows, whole, personId, counting);
    return missing === 0 ? rights : { ...rights, whyNotApprove: approvedText(missing), hasApproved: true };
  };
}

const approvedText = (missing: number): string =>
  `you approved; ${missing === 1 ? 'one more person has' : `${missing} more people have`} to approve`;

/** Like `limitedRights`. But where `limitedRights` returns null, returns a function that gives all rights. */
export async function rightsIn(parts: Parts, rows: StoreReader, viewer: Subject, nowMs: number): Promise<RightsReader> {
  return (await limitedRights(parts, rows, viewer, nowMs)) ?? (() => Promise.resolve(ALL_RIGHTS));
}

/** Whether the viewer may resume and revoke requesters, and decide about hosts that want to enrol. False if the rules cannot be read. */
export async function managesRequesters(rows: StoreReader, viewer: Subject): Promise<boolean> {
  if (viewer.role !== 'approver') return false;
  const limits = await limitsOf(rows, viewer);
  return limits.ok && limits.value === null;
}
