/** What a person who looks at the pages may do about a request, by the rules of the decision itself. */
import { authorityOf, ruleOf } from '../../core/people/may-decide.ts';
import type { ListedGrant } from '../../store/listed-request.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { ALL_RIGHTS, type ViewerRights } from '../../web/cards/viewer-rights.ts';
import { decidersOf, limitsOf, peopleRules, personOf } from '../identity/people-rules.ts';
import type { ServerParts } from '../server-ports.ts';
import { WHY_NOT, whatOf } from './approval-authority.ts';
import { approvalRisk } from './approval-risk.ts';

type Parts = Pick<ServerParts, 'rules' | 'mcpRules'>;
type RightsReader = (grant: ListedGrant) => Promise<ViewerRights>;

/**
 * Returns a reader of what the viewer may do about each request; null: the viewer may decide everything, or is an auditor, whose pages
 * have no buttons. Also null if the rules for people cannot be read: then no answer is certain.
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
  if (limits === null && own.length === 0) return null;
  const deciders = await decidersOf(rows);
  return async (grant) => {
    const at = (risk: 'low' | 'critical') => authorityOf(rules, deciders, personId, whatOf(grant, risk, nowMs));
    if (at('critical').kind !== 'none') return ALL_RIGHTS;
    const lowest = at('low');
    if (lowest.kind === 'none') {
      const why = WHY_NOT[lowest.why];
      return { whyNotApprove: why, whyNotDeny: lowest.why === 'own-request' ? null : why };
    }
    // The risk decides. The text of a listed request may be cut, and then it must not be read as a line.
    const whole = grant.cutFrom === undefined ? grant : await rows.grant(grant.id);
    const risk = whole === undefined ? null : await approvalRisk(parts, rows, whole, null);
    const authority = authorityOf(rules, deciders, personId, whatOf(grant, risk, nowMs));
    return authority.kind === 'none' ? { whyNotApprove: WHY_NOT[authority.why], whyNotDeny: null } : ALL_RIGHTS;
  };
}

/** Returns a reader of what the viewer may do about each request. */
export async function rightsIn(parts: Parts, rows: StoreReader, viewer: Subject, nowMs: number): Promise<RightsReader> {
  return (await limitedRights(parts, rows, viewer, nowMs)) ?? (() => Promise.resolve(ALL_RIGHTS));
}

/** Whether the viewer may resume and revoke requesters, and decide about hosts that want to enrol. */
export async function managesRequesters(rows: StoreReader, viewer: Subject): Promise<boolean> {
  if (viewer.role !== 'approver') return false;
  const limits = await limitsOf(rows, viewer);
  return limits.ok && limits.value === null;
}
