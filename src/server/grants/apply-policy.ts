/** Stage 4 of a request, policy: checks the request against the deny rules, before the server looks for a grant. */

import { type AssessmentByFacts, isAssessable } from '../../core/effects/assess-request.ts';
import { plainEvent } from '../../core/grant/audit-event.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { type DenySubject, denySubject } from '../../core/policy/deny-subject.ts';
import type { DenyRule } from '../../core/scope/command-scope.ts';
import { permissionsOf } from '../../core/scope/permissions-of-call.ts';
import type { StoreReader, StoreWriter } from '../../store/store.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { assessTextAlone } from './server-assessment.ts';
import { cutText } from './use.ts';

/**
 * - `free`:      no rule forbids the request
 * - `forbidden`: a rule forbids the request
 * - `undecided`: no rule forbids the request so far, but a rule for this requester needs host facts that are missing
 */
export type PolicyVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'forbidden'; readonly rule: DenyRule }
  | { readonly kind: 'undecided' };

/** @property assessment the assessment that uses host facts; null: the server has no host facts, or the request has no line to assess */
interface PolicySubject {
  readonly requesterId: string;
  readonly request: ExecutionRequest;
  readonly assessment: AssessmentByFacts | null;
}

/**
 * Finds out whether a rule forbids the request. First brings the index of rules up to date.
 * @param rows the reader of the transaction that decides the request
 */
export async function applyPolicy(
  { standing, rules, mcpRules }: Pick<ServerParts, 'standing' | 'rules' | 'mcpRules'>,
  rows: StoreReader,
  { requesterId, request, assessment }: PolicySubject,
): Promise<PolicyVerdict> {
  await standing.catchUp(rows);
  if (!standing.hasDenies) return { kind: 'free' };
  const readable = assessment ?? (await assessTextAlone(rules, request));
  const rule = standing.denial(requesterId, subjectOf(request, readable, mcpRules));
  if (rule !== null) return { kind: 'forbidden', rule };
  const hasAllFacts = !isAssessable(request) || readable?.isComplete === true;
  return hasAllFacts || !standing.needsHostFacts(requesterId) ? { kind: 'free' } : { kind: 'undecided' };
}

function subjectOf(
  request: ExecutionRequest,
  assessment: AssessmentByFacts | null,
  mcpRules: ServerParts['mcpRules'],
): DenySubject {
  const subject = denySubject(request, assessment);
  return { ...subject, permissions: [...subject.permissions, ...permissionsOf(mcpRules, request)] };
}

/** Makes the refusal for a request that a rule forbids. Counts the use of the rule, and records the rule and the request. */
export async function refuseByPolicy(
  rows: StoreWriter,
  rule: DenyRule,
  about: { readonly requesterId: string; readonly request: ExecutionRequest; readonly fingerprint: string },
  nowMs: number,
): Promise<Refusal> {
  const { requesterId, request, fingerprint } = about;
  await rows.usePolicy(rule.id);
  const facts = { policyId: rule.id, fingerprint, line: cutText(request.text), reason: rule.reason };
  rows.record(plainEvent('policy.vetoed', requesterId, nowMs, facts));
  return refusal('policy.denied', `a rule forbids this: ${rule.reason} (rule ${rule.id})`);
}
