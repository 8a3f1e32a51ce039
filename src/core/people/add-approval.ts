/** Adds one person's approval to a request that several people have to approve, and decides whether the request is approved now. */
import { canonicalJson } from '../grant/canonical-json.ts';
import { earliestTerm, type Grant, isTermOver, type Term } from '../grant/grant.ts';
import type { Approvals, GivenApproval } from '../wire/approvals.ts';

/** What a person approves. The moment and the signature do not belong to it. */
type ApprovalContent = Pick<Approvals, 'term' | 'scope' | 'confinement'>;

/**
 * @property needed      how many people have to approve
 * @property nowMs       the moment of the new approval (Unix ms)
 * @property stillCounts whether an earlier approval still counts
 */
export interface QuorumSetting {
  readonly needed: number;
  readonly nowMs: number;
  readonly stillCounts: (given: GivenApproval) => boolean;
}

/**
 * Adds the approval `given`, which replaces an earlier approval by the same person. Returns
 * - `approved` with all approvals, if enough people have approved,
 * - the pending `grant` with the approvals so far, if more people have to approve, or
 * - `approved` unchanged, if it has no term (malformed).
 *
 * The approved grant ends at the earliest end among the terms and the delegations of its approvals. All people have to approve the same
 * scope, confinement and kind of term. Otherwise a request could run in a form that too few people approved. This function discards
 * - all earlier approvals, if `approved` has a different scope, confinement or kind of term,
 * - each earlier approval whose own term is over, and
 * - each earlier approval for which `stillCounts` returns false.
 * @param approved the grant as it would be if `given` alone were enough
 */
export function addApproval(grant: Grant, approved: Grant, given: GivenApproval, setting: QuorumSetting): Grant {
  const { needed, nowMs, stillCounts } = setting;
  const { term, scope, confinement } = approved;
  if (term === null) return approved; // malformed: without a term, no use is possible (`stateAt`)
  const content = { term, scope, confinement };
  const recorded = grant.approvals;
  const earlier = recorded !== undefined && isSameContent(recorded, content) ? recorded : { given: [], term };
  const before = earlier.given.filter(
    (approval) =>
      approval.by !== given.by && !isTermOver(ownTerm(approval, earlier.term), nowMs) && stillCounts(approval),
  );
  const all = [...before, term.kind === 'timed' ? { ...given, termEndMs: term.untilMs } : given];
  const ends = [...before.map((approval) => ownTerm(approval, earlier.term)), term];
  const approvals: Approvals = { ...content, term: earliestTerm(ends), needed, given: all };
  if (all.length < needed) return { ...grant, version: approved.version, approvals };
  const { sealed: _, ...unsealed } = approved;
  const seals = all.flatMap(({ sealed }) => (sealed === undefined ? [] : [sealed]));
  const [last] = seals.slice(-1);
  // If an approval has no seal, the grant counts as unsealed: then only the server vouches for the grant.
  const sealed =
    last === undefined || seals.length < all.length ? {} : { sealed: { ...last, also: seals.slice(0, -1) } };
  const delegationEnds = all.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [untilMs]));
  const whole = { ...unsealed, term: approvals.term, approvals, ...sealed };
  return endingBy(whole, delegationEnds.length === 0 ? null : Math.min(...delegationEnds));
}

/**
 * Limits the approved grant to `endMs` (Unix ms): the grant cannot be used later. The term `always` becomes `timed`. With the term `once`,
 * the grant's `expiresAtMs` becomes `endMs` at the latest.
 * @param endMs null: the grant does not change
 */
export function endingBy(grant: Grant, endMs: number | null): Grant {
  const { term, expiresAtMs } = grant;
  if (endMs === null || term === null) return grant;
  if (term.kind === 'once') return { ...grant, expiresAtMs: Math.min(expiresAtMs, endMs) };
  return { ...grant, term: earliestTerm([term, { kind: 'timed', untilMs: endMs }]) };
}

/** Whether two approvals have the same scope, confinement and kind of term. The ends of the two terms may differ. */
export function isSameContent(left: ApprovalContent, right: ApprovalContent): boolean {
  const [one, other] = [left, right].map(({ term, scope, confinement }) =>
    canonicalJson({ kind: term.kind, scope, confinement }),
  );
  return one !== null && one === other;
}

/**
 * Returns the term that this person chose. An approval gets the common term if it has no end of its own, or if an earlier version of this
 * program wrote it.
 */
const ownTerm = ({ termEndMs }: GivenApproval, common: Term): Term =>
  termEndMs === undefined ? common : { kind: 'timed', untilMs: termEndMs };
