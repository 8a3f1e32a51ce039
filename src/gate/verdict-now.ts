/**
 * Asks what the grant server would decide about a request now. The question contains the same as a request of the gate: the host facts, and
 * whether only sealed approvals count. The server only answers: it stores no request and uses no grant.
 */
import type { Failure } from '../core/failure.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Result } from '../core/result.ts';
import type { ExplainAnswer } from '../core/wire/explain.ts';
import { fetchVerdict } from '../grants/explanations.ts';
import type { Gate } from './authorize.ts';

/**
 * Fails if the server gives no verdict, for example to a paused requester. Also fails if the rules for seals cannot be determined
 * (`sealRules`).
 */
export async function verdictNow(gate: Gate, request: ExecutionRequest): Promise<Result<ExplainAnswer, Failure>> {
  const rules = gate.seals();
  if (!rules.ok) return rules;
  const lookedUp = await gate.lookUp(request);
  return fetchVerdict(gate.client, {
    request,
    findings: lookedUp?.hostFacts ?? null,
    ...(rules.value.isRequired ? { sealedOnly: true as const } : {}),
  });
}
