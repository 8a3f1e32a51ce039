/** Makes and ends policies when an approver asks for it, and records each change. */
import { levelIn } from '../../core/effects/host-facts.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import { approvalsNeeded, authorityOf } from '../../core/people/may-decide.ts';
import { denyRuleFault } from '../../core/policy/deny-rule.ts';
import { denyRuleOf, type Policy } from '../../core/policy/policy.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { leastLevel } from '../../core/scope/conditions.ts';
import { scopeShapeFault } from '../../core/scope/scope-shape.ts';
import type { PolicyBody } from '../../core/wire/policy.ts';
import type { PolicyToSeal } from '../../core/wire/sealed.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { decidersOf, peopleRules, personOf } from '../identity/people-rules.ts';
import { confirmBySeal } from '../identity/seal-by-passkey.ts';
import { newId } from '../identity/secrets.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { noAuthority } from './approval-authority.ts';
import { policyDocumentFor, withPolicySeal } from './policy-seal.ts';
import { policyTitle } from './policy-view.ts';
import { readingScope } from './reading-policy.ts';
import { cutText } from './use.ts';

/**
 * Makes a policy. If the body has a seal, the policy gets the seal. Fails in these cases: the seal is not valid; the requester or the
 * request is unknown; the rule is unfit; `by` is not allowed to let the requester read.
 */
export async function createPolicy(
  parts: ServerParts,
  by: Subject,
  body: PolicyBody,
): Promise<Result<Policy, Refusal>> {
  const sealed = 'sealed' in body ? body.sealed : undefined;
  const unconfirmed = sealed === undefined ? null : await confirmBySeal(parts, by, sealed);
  if (unconfirmed !== null) return failed(unconfirmed);
  const id = sealed?.document.policyId ?? newId('p', parts.random);
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const policy = await policyFrom(rows, body, { id, createdBy: by.id, createdAtMs: nowMs, endedAtMs: null, uses: 0 });
    if (!policy.ok) return policy;
    const whole = sealed === undefined ? policy : await withPolicySeal(parts, rows, by, policy.value, sealed);
    if (!whole.ok) return whole;
    await rows.insertPolicy(whole.value);
    rows.record(plainEvent('policy.created', by.id, nowMs, factsOf(whole.value)));
    return whole;
  });
}

/**
 * Makes the document for an approver's device to sign, and changes nothing. To make the policy, call `createPolicy` with the same body and
 * the signed document.
 */
export async function policyToSeal(
  parts: ServerParts,
  by: Subject,
  body: PolicyBody,
): Promise<Result<PolicyToSeal, Refusal>> {
  const id = newId('p', parts.random);
  return read(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const policy = await policyFrom(rows, body, { id, createdBy: by.id, createdAtMs: nowMs, endedAtMs: null, uses: 0 });
    return policy.ok ? policyDocumentFor(parts, rows, by, policy.value) : policy;
  });
}

/** Returns null if `createdBy` may make a policy that allows reading. Such a policy counts as an approval of low risk by one person. */
async function readingRefusal(
  rows: StoreReader,
  { createdBy, createdAtMs }: PolicyHead,
  { id: requesterId, host }: Subject,
): Promise<Refusal | null> {
  const rules = await peopleRules(rows);
  if (!rules.ok) return rules.failure;
  const needed = approvalsNeeded(rules.value.quorum, 'low');
  if (needed > 1)
    return refusal('policy.unfit', `an approval of low risk needs ${needed} people, but a rule is made by one person`);
  const by = await rows.subject(createdBy);
  const personId = by === undefined ? createdBy : personOf(by);
  const what = { requesterId, host, risk: 'low' as const, nowMs: createdAtMs };
  const authority = authorityOf(rules.value, await decidersOf(rows), personId, what);
  if (authority.kind === 'own') return null;
  return noAuthority(authority.kind === 'none' ? authority.why : 'limits');
}

type PolicyHead = Pick<Policy, 'id' | 'createdBy' | 'createdAtMs' | 'endedAtMs' | 'uses'>;

async function policyFrom(rows: StoreReader, body: PolicyBody, head: PolicyHead): Promise<Result<Policy, Refusal>> {
  const requester = body.requesterId === null ? null : await rows.subject(body.requesterId);
  if (requester === undefined || (requester !== null && requester.role !== 'requester'))
    return failed(refusal('requester.not_found', 'there is no such requester'));
  if (body.effect === 'deny') {
    const { requesterId, text, pattern, reason } = body;
    const policy = { ...head, effect: 'deny' as const, requesterId, rule: { text, pattern }, reason };
    const fault = denyRuleFault(denyRuleOf(policy));
    return fault === null ? success(policy) : failed(refusal('policy.unfit', fault.message));
  }
  if (requester === null) return failed(refusal('requester.not_found', 'there is no such requester'));
  const unfit = await readingRefusal(rows, head, requester);
  if (unfit !== null) return failed(unfit);
  const past = await rows.grant(body.environmentOf);
  if (past === undefined || past.requesterId !== requester.id)
    return failed(refusal('grant.not_found', 'there is no such request of this requester'));
  const level = levelIn(await rows.hostFacts(past.id));
  const rule = readingScope(requester, body.directories, past.request.environment, level);
  const fault = scopeShapeFault(rule);
  if (fault !== null) return failed(refusal('policy.unfit', fault.message));
  const reason = body.reason ?? 'only reads';
  return success({ ...head, effect: 'allow-reading', requesterId: requester.id, rule, reason });
}

/**
 * Ends the policy, and returns the ended policy. Fails if there is no such policy, or if the policy has ended already.
 * @param by the record of the end names this person. The caller must have checked that `by` is an approver
 */
export function endPolicy(parts: ServerParts, by: Subject, id: string): Promise<Result<Policy, Refusal>> {
  return change(parts, async (rows) => {
    const nowMs = parts.clock.nowMs();
    const policy = await rows.policy(id);
    if (policy === undefined) return failed(refusal('policy.not_found', 'there is no such policy'));
    if (!(await rows.endPolicy(id, nowMs))) return failed(refusal('policy.ended', 'this policy has ended already'));
    rows.record(plainEvent('policy.ended', by.id, nowMs, factsOf(policy)));
    return success({ ...policy, endedAtMs: nowMs });
  });
}

const factsOf = (policy: Policy) => ({
  ...(policy.effect === 'deny' ? {} : { confinement: leastLevel(policy.rule.conditions) }),
  policyId: policy.id,
  effect: policy.effect,
  requesterId: policy.requesterId,
  ...(policy.effect === 'deny' ? {} : { sealedBy: policy.sealed?.by ?? null }),
  title: cutText(policyTitle(policy)),
  reason: policy.reason,
});
