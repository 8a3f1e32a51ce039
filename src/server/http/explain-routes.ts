/** `POST /v1/explain` tells what the server would decide about a request now. The call stores nothing, and uses no grant. */
import { canonicalRequest } from '../../core/grant/request.ts';
import { grantOfKey } from '../../core/plan/plan-scope.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { scopeFactsOf } from '../../core/scope/conditions.ts';
import { coverAndConfine } from '../../core/scope/confine-covered.ts';
import { uncoveredTexts } from '../../core/scope/miss-text.ts';
import { proposalPlaceOf, proposeScopes } from '../../core/scope/propose.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import {
  type ExplainAnswer,
  ExplainAnswerSchema,
  type ExplainBody,
  ExplainBodySchema,
} from '../../core/wire/explain.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { applyPolicy } from '../grants/apply-policy.ts';
import { callProposals } from '../grants/call-scopes.ts';
import { coveringGrant } from '../grants/cover-asked.ts';
import { exactPartOf, livePlans, planCandidates } from '../grants/cover-by-plan.ts';
import { newlyDeciding } from '../grants/newly-deciding.ts';
import { stoppedRefusal } from '../grants/pauses.ts';
import { assessOnServer } from '../grants/server-assessment.ts';
import { isForFastPath } from '../grants/shared-uses.ts';
import { MAX_ASK_BODY_BYTES } from '../limits.ts';
import { malformedRequest, type Refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { hostFactsRequestFault, requestFault } from './request-fault.ts';

export const explainRoutes: ApiRoutes = (app, parts) => {
  endpointsOf(app, parts)(
    'requester',
    'POST',
    '/v1/explain',
    {
      summary: 'What the server would decide about this request now; stores nothing, and uses no grant',
      body: ExplainBodySchema,
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: { 200: ExplainAnswerSchema },
    },
    async ({ caller: { subject }, body }) => {
      const fault = requestFault(body.request, subject) ?? (body.findings && hostFactsRequestFault(body.findings));
      if (fault !== null) return failed(malformedRequest(fault));
      const explained = await read(parts, (rows) => explain(parts, rows, subject, body));
      return explained.ok ? withBody(explained.value) : explained;
    },
  );
};

/**
 * Checks in the same order as `ask`: first a pause or a revocation, second the deny rules, third coverage. The order within coverage is:
 * - a grant for exactly this request, if the fast path uses the grant
 * - a part of a plan, if the part was approved for exactly this request
 * - another grant for exactly this request, or for this call of a tool
 * - the scopes of plans and standing grants together
 */
async function explain(
  parts: ServerParts,
  rows: StoreReader,
  requester: Subject,
  { request, findings: hostFacts, sealedOnly }: ExplainBody,
): Promise<Result<ExplainAnswer, Refusal>> {
  const stopped = await stoppedRefusal(rows, requester.id);
  if (stopped !== null) return failed(stopped);
  const nowMs = parts.clock.nowMs();
  const assessment = await assessOnServer(parts.rules, request, hostFacts);
  const policy = await applyPolicy(parts, rows, { requesterId: requester.id, request, assessment });
  if (policy.kind === 'forbidden')
    return success({ outcome: 'forbidden', ruleId: policy.rule.id, reason: policy.rule.reason });
  const fingerprint = sha256Hex(canonicalRequest(request));
  const isSealedOnly = sealedOnly === true;
  const asked = { requesterId: requester.id, request, fingerprint, isSealedOnly };
  const plans = await livePlans(rows, parts.standing, asked, nowMs);
  const grant = await coveringGrant(rows, parts.mcpRules, asked, nowMs);
  const isOnFastPath = grant !== undefined && isForFastPath(grant) && !parts.standing.hasDenies;
  const byPlan = isOnFastPath ? null : exactPartOf(plans, fingerprint);
  if (byPlan !== null && policy.kind === 'free')
    return success({ outcome: 'covered', isExact: true, coveredBy: [byPlan], held: null });
  if (grant !== undefined && policy.kind === 'free') {
    const isExact = grant.fingerprint === fingerprint;
    const title = isExact || !grant.scope ? 'exactly this' : scopeTitle(grant.scope);
    const held = isExact ? grant.confinement : null;
    return success({ outcome: 'covered', isExact, coveredBy: [{ grantId: grant.id, title }], held });
  }
  const place = proposalPlaceOf(request.cwd, hostFacts);
  const required = assessment?.requiredPermissions ?? [];
  const candidates = [
    ...planCandidates(plans, required),
    ...(await parts.standing.candidates(rows, requester.id, nowMs, isSealedOnly)),
  ];
  const coverage = coverAndConfine(
    required,
    candidates,
    scopeFactsOf(request, nowMs, place.cwd, place.confinementLevel),
  );
  if (coverage.kind === 'covered') {
    const titles = new Map(candidates.map(({ grantId, scope }) => [grantId, scopeTitle(scope)]));
    const coveredBy = coverage.grantIds.map((key) => ({
      grantId: grantOfKey(key).grantId,
      title: titles.get(key) ?? key,
    }));
    return success({ outcome: 'covered', isExact: false, coveredBy, held: coverage.confinement });
  }
  const deciding = await newlyDeciding(rows, { requesterId: requester.id, request });
  return success({
    outcome: 'uncovered',
    ...(deciding.length > 0 && { deciding: deciding.map(({ name }) => name) }),
    misses: assessment?.requiredPermissions && coverage.kind === 'uncovered' ? uncoveredTexts(coverage) : [],
    proposals: (callProposals(parts.mcpRules, request) ?? proposeScopes({ request, assessment }, place)).map(
      ({ title }) => title,
    ),
  });
}
