/** `POST /v1/explain` answers what the server would decide about a request now. It files, uses and records nothing. */
import { isForCommands, isForPlan } from '../../core/grant/grant.ts';
import { canonicalRequest } from '../../core/grant/request.ts';
import { grantOfKey } from '../../core/plan/plan-scope.ts';
import { failed } from '../../core/result.ts';
import { factsOf } from '../../core/scope/conditions.ts';
import { confineCovered } from '../../core/scope/confine-covered.ts';
import { coverLine } from '../../core/scope/cover-line.ts';
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
import { grantsForCall } from '../grants/cover-asked.ts';
import { exactPartOf, fitsPart, livePlans, planCandidates } from '../grants/cover-by-plan.ts';
import { newlyDeciding } from '../grants/newly-deciding.ts';
import { assessOnServer } from '../grants/server-assessment.ts';
import { MAX_ASK_BODY_BYTES } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';
import { hostFactsRequestFault, requestFault } from './request-fault.ts';

export const explainRoutes: ApiRoutes = (app, parts) => {
  endpointsOf(app, parts)(
    'requester',
    'POST',
    '/v1/explain',
    {
      summary: 'What the server would decide about this request now; files and uses nothing',
      body: ExplainBodySchema,
      bodyLimit: MAX_ASK_BODY_BYTES,
      answers: { 200: ExplainAnswerSchema },
    },
    async ({ caller: { subject }, body }) => {
      const fault = requestFault(body.request, subject) ?? (body.findings && hostFactsRequestFault(body.findings));
      if (fault !== null) return failed(refusal('request.malformed', fault));
      return read(parts, async (rows) => withBody(await explain(parts, rows, subject, body)));
    },
  );
};

/**
 * Applies the rules first, then looks for coverage, as `ask` does. Unlike `ask`, it takes no account of a pause, or of a host that takes
 * only sealed approvals.
 */
async function explain(
  parts: ServerParts,
  rows: StoreReader,
  requester: Subject,
  { request, findings: hostFacts }: ExplainBody,
): Promise<ExplainAnswer> {
  const nowMs = parts.clock.nowMs();
  const assessment = await assessOnServer(parts.rules, request, hostFacts);
  const policy = await applyPolicy(parts, rows, { requesterId: requester.id, request, assessment });
  if (policy.kind === 'forbidden') return { outcome: 'forbidden', ruleId: policy.rule.id, reason: policy.rule.reason };
  const exact = await rows.coveringGrants(requester.id, sha256Hex(canonicalRequest(request)), nowMs);
  const [grant] = exact.filter(({ scope }) => !isForCommands(scope) && !isForPlan(scope));
  if (grant !== undefined && policy.kind === 'free')
    return {
      outcome: 'covered',
      isExact: true,
      coveredBy: [{ grantId: grant.id, title: 'exactly this' }],
      held: grant.confinement,
    };
  const covering = await grantsForCall(rows, requester.id, request, parts.mcpRules, nowMs);
  if (covering.length > 0 && policy.kind === 'free')
    return {
      outcome: 'covered',
      isExact: false,
      coveredBy: covering.slice(0, 1).map(({ id, scope }) => ({ grantId: id, title: scope ? scopeTitle(scope) : id })),
      held: null,
    };
  const place = proposalPlaceOf(request.cwd, hostFacts);
  const owner = { requesterId: requester.id, isSealedOnly: false };
  const plans = await livePlans(rows, parts.standing, owner, nowMs);
  const byPlan = exactPartOf(plans, sha256Hex(canonicalRequest(request)));
  if (byPlan !== null && policy.kind === 'free')
    return { outcome: 'covered', isExact: true, coveredBy: [byPlan], held: null };
  const fitting = plans
    .flatMap(planCandidates)
    .filter(({ scope }) => fitsPart(assessment?.requiredPermissions ?? [], scope));
  const candidates = [...fitting, ...(await parts.standing.candidates(rows, requester.id, nowMs))];
  const coverage = coverLine(
    assessment?.requiredPermissions ?? [],
    candidates,
    factsOf(request, nowMs, place.cwd, place.confinementLevel),
  );
  const held =
    coverage.kind === 'covered'
      ? confineCovered(assessment?.requiredPermissions ?? [], coverage, candidates, place.confinementLevel)
      : null;
  if (coverage.kind === 'covered' && held !== null) {
    const titles = new Map(candidates.map(({ grantId, scope }) => [grantId, scopeTitle(scope)]));
    const coveredBy = coverage.grantIds.map((key) => ({
      grantId: grantOfKey(key).grantId,
      title: titles.get(key) ?? key,
    }));
    return { outcome: 'covered', isExact: false, coveredBy, held };
  }
  const deciding = await newlyDeciding(rows, { requesterId: requester.id, request });
  return {
    outcome: 'uncovered',
    ...(deciding.length > 0 && { deciding: deciding.map(({ name }) => name) }),
    misses: assessment?.requiredPermissions && coverage.kind === 'uncovered' ? uncoveredTexts(coverage) : [],
    proposals: (callProposals(parts.mcpRules, request) ?? proposeScopes({ request, assessment }, place)).map(
      ({ title }) => title,
    ),
  };
}
