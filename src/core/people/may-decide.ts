/** Whether a person may decide about a request. The server and each host call these functions. */
import { RISKS, type Risk } from '../effects/permission.ts';
import type { Limits } from '../wire/limits.ts';
import type { Delegation, PeopleRules, PersonRule, Quorum } from '../wire/people.ts';

/**
 * The facts from which `authorityOf` decides whether a person may decide.
 * @property risk  the risk of what would run; null: not known. An unknown risk counts as critical
 * @property nowMs the time of the decision, or of the use of the grant (Unix ms). A delegation counts only if it ends after this time
 */
export interface DecisionCase {
  readonly requesterId: string;
  readonly host: string;
  readonly risk: Risk | null;
  readonly nowMs: number;
}

/**
 * Whether and by what right a person may decide.
 * - `own`:       the person's own limits allow the decision
 * - `delegated`: only a delegation allows the decision. The delegation comes from the person `from` and ends at `untilMs`. If several
 *                delegations allow the decision, `from` and `untilMs` describe the delegation that ends last
 * - `none`:      the person may not decide. Either the person is not an approver, or the requester belongs to the person, or the request is
 *                outside the person's limits
 */
export type Authority =
  | { readonly kind: 'own' }
  | { readonly kind: 'delegated'; readonly from: string; readonly untilMs: number }
  | { readonly kind: 'none'; readonly why: 'no-decider' | 'own-request' | 'limits' };

export const NO_RULES: PeopleRules = {
  quorum: { low: 1, medium: 1, high: 1, critical: 1 },
  persons: [],
  delegations: [],
};

const NO_LIMITS: Omit<PersonRule, 'id'> = { limits: null, own: [] };

/** Returns the rule for this person. A person without a rule has no limits, and no requester belongs to the person. */
export const ruleOf = ({ persons }: PeopleRules, id: string): Omit<PersonRule, 'id'> =>
  persons.find((person) => person.id === id) ?? NO_LIMITS;

/** @param deciders the ids of all approvers; no other person may decide or delegate */
export function authorityOf(
  rules: PeopleRules,
  deciders: ReadonlySet<string>,
  personId: string,
  what: DecisionCase,
): Authority {
  if (!deciders.has(personId)) return { kind: 'none', why: 'no-decider' };
  const { limits, own } = ruleOf(rules, personId);
  if (own.includes(what.requesterId)) return { kind: 'none', why: 'own-request' };
  if (isWithin(limits, what)) return { kind: 'own' };
  const delegated = rules.delegations
    .filter((delegation) => delegation.to === personId && mayDelegatorDecide(rules, deciders, delegation, what))
    .toSorted((left, right) => right.untilMs - left.untilMs)[0];
  return delegated === undefined
    ? { kind: 'none', why: 'limits' }
    : { kind: 'delegated', from: delegated.from, untilMs: delegated.untilMs };
}

/** Compares only the delegator's own limits. If a delegator got a right by delegation, the delegator cannot pass that right on. */
function mayDelegatorDecide(
  rules: PeopleRules,
  deciders: ReadonlySet<string>,
  { from, untilMs }: Delegation,
  what: DecisionCase,
): boolean {
  const { limits, own } = ruleOf(rules, from);
  return deciders.has(from) && what.nowMs < untilMs && !own.includes(what.requesterId) && isWithin(limits, what);
}

function isWithin(limits: Limits | null, { requesterId, host, risk }: DecisionCase): boolean {
  if (limits === null) return true;
  if (limits.requesters !== null && !limits.requesters.includes(requesterId)) return false;
  if (limits.hosts !== null && !limits.hosts.includes(host)) return false;
  return rankOf(risk) <= RISKS.indexOf(limits.upTo); // if `upTo` is not a known risk, the person may decide nothing
}

/** An unknown risk counts as the highest risk, and so does a word that is not a risk. */
function rankOf(risk: Risk | null): number {
  const rank = risk === null ? -1 : RISKS.indexOf(risk);
  return rank < 0 ? RISKS.length - 1 : rank;
}

/** How many people have to approve at this risk: the largest number that the quorum has for this risk or a lower risk, at least 1. */
export const approvalsNeeded = (quorum: Quorum, risk: Risk | null): number =>
  Math.max(1, ...RISKS.slice(0, rankOf(risk) + 1).map((lowerOrSame) => quorum[lowerOrSame]));

/**
 * Returns the ids of the persons whose approval counts. Each id occurs once. An approval by delegation counts for the person who approved,
 * not for the delegator.
 * @param persons the ids of the persons who approved; an id occurs several times if several keys of the person have signed
 */
export function countedPersons(
  rules: PeopleRules,
  deciders: ReadonlySet<string>,
  persons: readonly string[],
  what: DecisionCase,
): readonly string[] {
  return [...new Set(persons)].filter((id) => authorityOf(rules, deciders, id, what).kind !== 'none');
}

/** Whether the rules need the risk: a person has limits, or more than one person has to approve at some risk. */
export const rulesNeedRisk = ({ quorum, persons }: PeopleRules): boolean =>
  persons.some(({ limits }) => limits !== null) || needsSeveralPeople({ quorum });

/** Whether more than one person has to approve at some risk. */
export const needsSeveralPeople = ({ quorum }: Pick<PeopleRules, 'quorum'>): boolean =>
  Object.values(quorum).some((count) => count > 1);
