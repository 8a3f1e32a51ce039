/**
 * Asks the grant server what it would decide about a request now. Sends the host facts, and says whether only sealed approvals count, as
 * the gate does. No request is filed, and no grant is used.
 */
import type { Failure } from '../core/failure.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Result } from '../core/result.ts';
import type { ExplainAnswer } from '../core/wire/explain.ts';
import { fetchVerdict } from '../grants/explanations.ts';
import type { Gate } from './authorize.ts';

/** Fails if the server gives no verdict, for example to a paused requester. Also fails if the rules for seals fail (`sealRules`). */
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
