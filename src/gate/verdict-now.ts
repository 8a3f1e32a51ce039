/**
 * Asks the grant server what it would decide about a request now. The question has the host facts, and says whether only sealed approvals
 * count, as for the gate's own requests. No request is filed, and no grant is used.
 */
import type { Failure } from '../core/failure.ts';
import type { ExecutionRequest } from '../core/grant/request.ts';
import type { Result } from '../core/result.ts';
import type { ExplainAnswer } from '../core/wire/explain.ts';
import { fetchVerdict } from '../grants/explanations.ts';
import type { Gate } from './authorize.ts';

/** If this host or the server would refuse every request of this requester now, fails with that refusal. */
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
