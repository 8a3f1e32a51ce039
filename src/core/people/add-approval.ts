/** One more approval of a request that several people have to approve: whether it is approved now, and with what. */
import { canonicalJson } from '../grant/canonical-json.ts';
import type { Grant, Term } from '../grant/grant.ts';
import type { Approvals, GivenApproval } from '../wire/approvals.ts';

/** What one person approves. */
type Words = Pick<Approvals, 'term' | 'scope' | 'confinement'>;

/**
 * @property needed   how many people it takes
 * @property counts   whether an approval that was given before still counts
 */
export interface QuorumSetting {
  readonly needed: number;
  readonly nowMs: number;
  readonly counts: (given: GivenApproval) => boolean;
}

/**
 * The grant with this approval: approved as `approved` says, or pending with one more. All of them approve the same scope and
 * kind of term; of two ends the earlier one counts. Who approves other words begins anew with them: so nothing runs by
 * words that fewer people approved, and no wish of one person is taken for that of another.
 */
export function addApproval(grant: Grant, approved: Grant, given: GivenApproval, setting: QuorumSetting): Grant {
  const { needed, nowMs, counts } = setting;
  const { term, scope, confinement } = approved;
  if (term === null) return approved;
  const words = { term, scope, confinement };
  const held = grant.approvals;
  const isSame = held !== undefined && isSameWords(held, words) && !isOver(held.term, nowMs);
  const before = isSame ? held.given.filter((each) => each.by !== given.by && counts(each)) : [];
  const all = [...before, given];
  const ends = before.length > 0 && held !== undefined ? [held.term, term] : [term];
  const approvals: Approvals = { ...words, term: earliest(ends), needed, given: all };
  if (all.length < needed) return { ...grant, version: approved.version, approvals };
  const { sealed: _, ...unsealed } = approved;
  const seals = all.flatMap(({ sealed }) => (sealed === undefined ? [] : [sealed]));
  const [last] = seals.slice(-1);
  // One approval without a seal, and the server alone vouches for the whole.
  const sealed =
    last === undefined || seals.length < all.length ? {} : { sealed: { ...last, also: seals.slice(0, -1) } };
  const lent = all.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [untilMs]));
  const whole = { ...unsealed, term: approvals.term, approvals, ...sealed };
  return endingBy(whole, lent.length === 0 ? null : Math.min(...lent));
}

/** The same approval, which ends then at the latest. @param endMs null: it ends by itself */
export function endingBy(grant: Grant, endMs: number | null): Grant {
  const { term, expiresAtMs } = grant;
  if (endMs === null || term === null) return grant;
  if (term.kind === 'once') return { ...grant, expiresAtMs: Math.min(expiresAtMs, endMs) };
  return { ...grant, term: earliest([term, { kind: 'timed', untilMs: endMs }]) };
}

/** But for the end. */
export function isSameWords(left: Words, right: Words): boolean {
  const [one, other] = [left, right].map(({ term, scope, confinement }) =>
    canonicalJson({ kind: term.kind, scope, confinement }),
  );
  return one !== null && one === other;
}

const isOver = (term: Term, nowMs: number): boolean => term.kind === 'timed' && term.untilMs <= nowMs;

function earliest(terms: readonly Term[]): Term {
  const ends = terms.flatMap((term) => (term.kind === 'timed' ? [term.untilMs] : []));
  return ends.length === 0 ? (terms[0] ?? { kind: 'once' }) : { kind: 'timed', untilMs: Math.min(...ends) };
}
