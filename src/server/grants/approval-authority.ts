/** Checks whether an approver may decide a request. The rules for people are read from the store for each check. */
import type { Risk } from '../../core/effects/permission.ts';
import type { Grant } from '../../core/grant/grant.ts';
import {
  type Authority,
  approvalsNeeded,
  authorityOf,
  type DecisionCase,
  NO_RULES,
  ruleOf,
  rulesNeedRisk,
} from '../../core/people/may-decide.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import type { PeopleRules } from '../../core/wire/people.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { breakGlassEndMs } from '../identity/break-glass.ts';
import { decidersOf, peopleRules, personOf } from '../identity/people-rules.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { approvalRisk } from './approval-risk.ts';

/**
 * @property personId the person who decides; for a key of the command line, the owner
 * @property rules    `NO_RULES` if a person with a break-glass code decides
 * @property deciders the ids of the people who decide on this server: the owner and the approvers. If a person with a break-glass code
 *                    decides, only the id of that person
 * @property risk  the higher one of the request's risk and the scope's risk. `low` if no rule for people depends on the risk. Null: not
 *                 known, or a person with a break-glass code decides
 * @property endMs the latest end of the approval, if the approver decides by a delegation or with a break-glass code; null: the approval
 *                 needs no end
 */
export interface ApprovalAuthority {
  readonly personId: string;
  readonly rules: PeopleRules;
  readonly deciders: ReadonlySet<string>;
  readonly risk: Risk | null;
  readonly endMs: number | null;
}

/**
 * Returns the authority of this approver to approve the request with this scope. Fails if the approver may not give this approval, or if
 * the rules for people cannot be read.
 * @param scope null: the approval is for exactly the request
 */
export async function approvalAuthority(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  by: Subject,
  grant: Grant,
  scope: GrantScope | null,
  nowMs: number,
): Promise<Result<ApprovalAuthority, Refusal>> {
  const breakGlassMs = breakGlassEndMs(by);
  if (breakGlassMs !== null) return success(breakGlassAuthority(by, breakGlassMs));
  const found = await peopleRules(rows);
  if (!found.ok) return found;
  const rules = found.value;
  const [personId, deciders] = [personOf(by), await decidersOf(rows)];
  const risk = rulesNeedRisk(rules) ? await approvalRisk(parts, rows, grant, scope) : 'low';
  const authority = authorityOf(rules, deciders, personId, decisionCaseOf(grant, risk, nowMs));
  if (authority.kind === 'none') return failed(noAuthority(authority.why, grant));
  const endMs = authority.kind === 'delegated' ? authority.untilMs : null;
  return success({ personId, rules, deciders, risk, endMs });
}

/** A person with a break-glass code has no limits and needs no second person, even if the rules for people cannot be read. */
const breakGlassAuthority = ({ id }: Subject, endMs: number): ApprovalAuthority => ({
  personId: id,
  rules: NO_RULES,
  deciders: new Set([id]),
  risk: null,
  endMs,
});

/**
 * Returns how many people have to approve this request, if the approval has no scope. Returns 1 if this viewer may not approve the
 * request, or if the rules for people cannot be read.
 */
export async function neededNow(
  parts: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  viewer: Subject,
  grant: Grant,
  nowMs: number,
): Promise<number> {
  const found = await approvalAuthority(parts, rows, viewer, grant, null, nowMs);
  return found.ok ? approvalsNeeded(found.value.rules.quorum, found.value.risk) : 1;
}

/**
 * Returns what `authorityOf` needs to know about a decision on this grant.
 * @param risk null: the risk is not known
 */
export const decisionCaseOf = ({ requesterId, request }: Grant, risk: Risk | null, nowMs: number): DecisionCase => ({
  requesterId,
  host: request.host,
  risk,
  nowMs,
});

type Why = Extract<Authority, { readonly kind: 'none' }>['why'];
const CODE = {
  'no-decider': 'auth.forbidden',
  'own-request': 'approver.own_request',
  limits: 'approver.limits',
} as const satisfies Readonly<Record<Why, string>>;
/** The messages of the refusals. The pages show the same sentences in place of buttons. */
export const WHY_NOT: Readonly<Record<Why, string>> = {
  'no-decider': 'you may not decide requests here',
  'own-request': 'this requester belongs to you, so another person has to decide its requests',
  limits: 'your limits do not allow this decision; an approver with wider limits can make it',
};

/**
 * Makes the refusal for a person who may not decide.
 * @param grant the request that the person may not decide; absent: there is no request
 */
export const noAuthority = (why: Why, grant?: Grant): Refusal => refusal(CODE[why], WHY_NOT[why], grant);

/**
 * Returns a refusal if this approver may not deny the request. The limits for requesters and hosts apply. The limit for the risk does not
 * apply: a denial has no risk.
 */
export async function denialRefusal(
  rows: StoreReader,
  by: Subject,
  grant: Grant,
  nowMs: number,
): Promise<Refusal | null> {
  if (by.role === 'break-glass') return null;
  const rules = await peopleRules(rows);
  if (!rules.ok) return null; // rules that cannot be read must not prevent a denial
  const personId = personOf(by);
  // A person may always deny their own request: this denial withdraws the request.
  const isOwn = ruleOf(rules.value, personId).own.includes(grant.requesterId);
  const authority = authorityOf(rules.value, await decidersOf(rows), personId, decisionCaseOf(grant, 'low', nowMs));
  if (authority.kind !== 'none' || isOwn) return null;
  return noAuthority(authority.why, grant);
}
