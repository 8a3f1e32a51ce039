/** What an approver is offered for a request, and why a grant is as it is. */
import type { FastifyReply } from 'fastify';
import { assessmentView } from '../../core/assessment/assessment-view.ts';
import type { Grant } from '../../core/grant.ts';
import type { CommandScope } from '../../core/scope/command-scope.ts';
import { factsOf } from '../../core/scope/conditions.ts';
import { coverLine } from '../../core/scope/cover-line.ts';
import { uncoveredTexts } from '../../core/scope/miss-text.ts';
import { proposeScopes } from '../../core/scope/propose.ts';
import { exactOnly } from '../../core/scope/scope-fault.ts';
import type { WhyAnswer } from '../../core/wire.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { type GrantLine, lineOf, pastIn, previewOf, proposalsFor, usesOf } from '../grants/about-line.ts';
import { grantView } from '../grants/grant-view.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import { APPROVE_BODY_LIMIT } from './approver-routes.ts';
import * as schemas from './schemas.ts';
import { PreviewAnswerSchema, PreviewBodySchema } from './scope-schemas.ts';

interface OnGrant {
  readonly Params: { readonly id: string };
}

export const scopeRoutes: ApiRoutes = (app, parts) => {
  /** Reads with the grant and its line; refuses where there is none, or the caller may not see it. */
  async function about<T>(
    reply: FastifyReply,
    caller: Subject,
    grantId: string,
    work: (rows: StoreReader, grant: Grant, line: GrantLine) => Promise<T>,
  ): Promise<T | FastifyReply> {
    const found = await parts.store.read(async (rows): Promise<{ value: T } | { refused: Refusal }> => {
      const grant = await rows.grant(grantId);
      if (grant === undefined) return { refused: refusal('grant.not_found', 'there is no such grant') };
      if (caller.role === 'requester' && grant.requesterId !== caller.id)
        return { refused: refusal('grant.not_yours', 'this grant belongs to another requester') };
      return { value: await work(rows, grant, await lineOf(parts, rows, grant)) };
    });
    const outcome = valueOrRefuse(parts, reply, found);
    if (outcome === undefined) return reply;
    return 'refused' in outcome ? refuse(parts, reply, outcome.refused) : outcome.value;
  }

  app.get<OnGrant>(
    '/v1/grants/:id/proposals',
    route('approver', {
      summary: 'What the request would do, and scopes that may be given for it, the widest last',
      params: schemas.IdParams,
      answers: { 200: schemas.ProposalsAnswerSchema },
    }),
    async (request, reply) =>
      about(reply, callerOf(request).subject, request.params.id, (rows, grant, line) =>
        proposalsFor(pastIn(parts, rows), grant, line),
      ),
  );

  app.post<OnGrant & { Body: { readonly scope: CommandScope } }>(
    '/v1/grants/:id/preview',
    route(
      'approver',
      {
        summary: 'Whether a scope may be given for the request, and what else it would have covered; changes nothing',
        params: schemas.IdParams,
        body: PreviewBodySchema,
        answers: { 200: PreviewAnswerSchema },
      },
      APPROVE_BODY_LIMIT,
    ),
    async (request, reply) =>
      about(reply, callerOf(request).subject, request.params.id, (rows, grant, line) =>
        previewOf(pastIn(parts, rows), grant, line, request.body.scope),
      ),
  );

  app.get<OnGrant>(
    '/v1/grants/:id/why',
    route('authenticated', {
      summary: 'Who or what decided, what the line would do, and what would make it coverable',
      params: schemas.IdParams,
      answers: { 200: schemas.WhyAnswerSchema },
    }),
    async (request, reply) =>
      about(reply, callerOf(request).subject, request.params.id, async (rows, grant, line) => {
        const decider = grant.decidedBy === null ? undefined : await rows.subject(grant.decidedBy);
        const offered = proposeScopes({ request: grant.request, assessment: line.assessment }, line.place);
        const answer: WhyAnswer = {
          grant: grantView(grant, parts.clock.nowMs(), parts.publicUrl()),
          decidedBy: decider === undefined ? null : { id: decider.id, name: decider.name },
          assessment: line.assessment && assessmentView(line.assessment),
          proposals: offered.map(({ title }) => title),
          coverable: await coverability(parts, rows, grant, line),
          uses: await usesOf(rows, grant.id),
        };
        return answer;
      }),
  );
};

/** What is in the way of standing grants in general, or of those there are. */
async function coverability(
  parts: ServerParts,
  rows: StoreReader,
  grant: Grant,
  { assessment, place }: GrantLine,
): Promise<WhyAnswer['coverable']> {
  if (assessment === null) return { isCoverable: false, advice: [`a ${grant.request.kind} is approved exactly`] };
  const advice = assessment.opaque.map((each) => `${each.source}: ${each.reason}; ${each.advice}`);
  const reason = exactOnly({ assessment });
  if (reason !== null) return { isCoverable: false, advice: advice.length > 0 ? advice : [`it ${reason}`] };
  const nowMs = parts.clock.nowMs();
  await parts.standing.inStep(rows);
  const candidates = await parts.standing.candidates(rows, grant.requesterId, nowMs);
  const coverage = coverLine(
    assessment.demands ?? [],
    candidates,
    factsOf(grant.request, nowMs, place.cwd, place.confinementLevel),
  );
  return { isCoverable: true, advice: coverage.kind === 'covered' ? [] : uncoveredTexts(coverage) };
}
