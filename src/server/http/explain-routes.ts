/** `POST /v1/explain`: what would be decided about a request if it were asked now. Files, uses and records nothing. */
import { isForCommands } from '../../core/grant.ts';
import { canonicalRequest } from '../../core/request.ts';
import { factsOf } from '../../core/scope/conditions.ts';
import { confineCovered } from '../../core/scope/confine-covered.ts';
import { coverLine } from '../../core/scope/cover-line.ts';
import { uncoveredTexts } from '../../core/scope/miss-text.ts';
import { proposalPlaceOf, proposeScopes } from '../../core/scope/propose.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { ExplainAnswer, ExplainBody } from '../../core/wire.ts';
import { sha256Hex } from '../../platform/digest.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { judgeRequest } from '../grants/judging.ts';
import { vetoOf } from '../grants/veto.ts';
import { refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import { ASK_BODY_LIMIT } from './limits.ts';
import { hostFactsRequestFault, requestFault } from './request-fault.ts';
import * as schemas from './schemas.ts';

export const explainRoutes: ApiRoutes = (app, parts) => {
  app.post<{ Body: ExplainBody }>(
    '/v1/explain',
    route(
      'requester',
      {
        summary: 'What would be decided if this were asked now; files and uses nothing',
        body: schemas.ExplainBodySchema,
        answers: { 200: schemas.ExplainAnswerSchema },
      },
      ASK_BODY_LIMIT,
    ),
    async (request, reply) => {
      const { subject } = callerOf(request);
      const { body } = request;
      const fault = requestFault(body.request, subject) ?? (body.findings && hostFactsRequestFault(body.findings));
      if (fault !== null) return refuse(parts, reply, refusal('request.malformed', fault));
      const explained = await parts.store.read((rows) => explain(parts, rows, subject, body));
      return valueOrRefuse(parts, reply, explained) ?? reply;
    },
  );
};

/** The order in which `ask` decides. */
async function explain(
  parts: ServerParts,
  rows: StoreReader,
  requester: Subject,
  { request, findings: hostFacts }: ExplainBody,
): Promise<ExplainAnswer> {
  const nowMs = parts.clock.nowMs();
  const judged = await judgeRequest(parts.rules, request, hostFacts);
  await parts.standing.inStep(rows);
  const veto = await vetoOf(parts.standing, parts.rules, requester.id, request, judged);
  if (veto.kind === 'forbidden') return { outcome: 'forbidden', ruleId: veto.rule.id, reason: veto.rule.reason };
  const exact = await rows.coveringGrants(requester.id, sha256Hex(canonicalRequest(request)), nowMs);
  const [grant] = exact.filter(({ scope }) => !isForCommands(scope));
  if (grant !== undefined && veto.kind === 'free')
    return {
      outcome: 'covered',
      isExact: true,
      coveredBy: [{ grantId: grant.id, title: 'exactly this' }],
      held: grant.confinement,
    };
  const assessment = judged?.assessment ?? null;
  const place = proposalPlaceOf(request.cwd, hostFacts);
  const candidates = await parts.standing.candidates(rows, requester.id, nowMs);
  const coverage = coverLine(
    assessment?.demands ?? [],
    candidates,
    factsOf(request, nowMs, place.cwd, place.confinementLevel),
  );
  const held =
    coverage.kind === 'covered'
      ? confineCovered(assessment?.demands ?? [], coverage, candidates, place.confinementLevel)
      : null;
  if (coverage.kind === 'covered' && held !== null) {
    const titles = new Map(candidates.map(({ grantId, scope }) => [grantId, scopeTitle(scope)]));
    const coveredBy = coverage.grantIds.map((id) => ({ grantId: id, title: titles.get(id) ?? id }));
    return { outcome: 'covered', isExact: false, coveredBy, held };
  }
  return {
    outcome: 'uncovered',
    misses: assessment?.demands && coverage.kind === 'uncovered' ? uncoveredTexts(coverage) : [],
    proposals: proposeScopes({ request, assessment }, place).map(({ title }) => title),
  };
}
