/** The API of a requester: ask, redeem, withdraw, report; and looking at grants, which an approver may too. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { GrantState } from '../../core/grant.ts';
import type { AskBody, RedeemAnswer, RedeemBody } from '../../core/wire.ts';
import type { GrantFilter } from '../../store/store.ts';
import { changeGrant } from '../grants/grant-changes.ts';
import { grantView } from '../grants/grant-view.ts';
import { signedBy, signPermit } from '../grants/permit-token.ts';
import { useOf } from '../grants/use.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import { ASK_BODY_LIMIT } from './limits.ts';
import { answerAsk, type Reply, recordReport } from './requester-calls.ts';
import * as schemas from './schemas.ts';

interface ListQuery {
  readonly state?: GrantState;
  readonly limit?: string;
  readonly before?: string;
  readonly id?: string;
}

export const requesterRoutes: ApiRoutes = (app, parts) => {
  const view = (grant: Parameters<typeof grantView>[0]) => grantView(grant, parts.clock.nowMs(), parts.publicUrl());

  app.post<{ Body: AskBody }>(
    '/v1/requests',
    route(
      'requester',
      {
        summary: 'Use a grant that covers the request, or file it',
        body: schemas.AskBodySchema,
        answers: schemas.AskAnswerSchemas,
      },
      ASK_BODY_LIMIT,
    ),
    async (request, reply) => send(reply, await answerAsk(parts, callerOf(request).subject, request.body)),
  );

  app.post<{ Params: { id: string }; Body: RedeemBody }>(
    '/v1/grants/:id/redeem',
    route('requester', {
      summary: 'Use an approved grant',
      params: schemas.IdParams,
      body: schemas.RedeemBodySchema,
      answers: { 200: schemas.RedeemAnswerSchema },
    }),
    async (request, reply) => {
      const { fingerprint, nonce } = request.body;
      const changed = await changeGrant(parts, {
        grantId: request.params.id,
        by: callerOf(request).subject,
        version: null,
        fingerprint,
        event: () => ({ kind: 'use' }),
      });
      const outcome = valueOrRefuse(parts, reply, changed);
      if (outcome === undefined) return reply;
      if (outcome.kind === 'refused') return refuse(parts, reply, outcome.refusal);
      const use = useOf(outcome.grant, fingerprint);
      const answer: RedeemAnswer = {
        permit: signPermit(signedBy(parts.serverKey), use, nonce, null, parts.clock.nowMs()),
      };
      return answer;
    },
  );

  app.post<{ Params: { id: string } }>(
    '/v1/grants/:id/withdraw',
    route('requester', {
      summary: 'Take back a request nobody has decided',
      params: schemas.IdParams,
      answers: { 200: schemas.GrantViewSchema },
    }),
    async (request, reply) => {
      const by = callerOf(request).subject;
      const wanted = { grantId: request.params.id, by, version: null, event: () => ({ kind: 'withdraw' }) as const };
      const outcome = valueOrRefuse(parts, reply, await changeGrant(parts, wanted));
      if (outcome === undefined) return reply;
      return outcome.kind === 'refused' ? refuse(parts, reply, outcome.refusal) : view(outcome.grant);
    },
  );

  app.get<{ Querystring: ListQuery }>(
    '/v1/grants',
    route('authenticated', {
      summary: "Grants, newest first; a requester sees its own, an approver everyone's",
      querystring: schemas.ListQuerySchema,
      answers: { 200: Type.Object({ grants: Type.Array(schemas.GrantViewSchema) }) },
    }),
    async (request, reply) => {
      const limit = Number(request.query.limit ?? '50');
      if (limit < 1 || limit > 200)
        return refuse(parts, reply, refusal('request.malformed', 'limit must be between 1 and 200'));
      const found = await parts.store.read((rows) => rows.grants(filterOf(request, limit, parts.clock.nowMs())));
      const grants = valueOrRefuse(parts, reply, found);
      return grants === undefined ? reply : { grants: grants.map(view) };
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/grants/:id',
    route('authenticated', {
      summary: 'One grant',
      params: schemas.IdParams,
      answers: { 200: schemas.GrantViewSchema },
    }),
    async (request, reply) => {
      const found = await parts.store.read(async (rows) => (await rows.grant(request.params.id)) ?? null);
      const grant = valueOrRefuse(parts, reply, found);
      if (grant === undefined) return reply;
      if (grant === null) return refuse(parts, reply, refusal('grant.not_found', 'there is no such grant'));
      const { subject } = callerOf(request);
      if (subject.role === 'requester' && grant.requesterId !== subject.id)
        return refuse(parts, reply, refusal('grant.not_yours', 'this grant belongs to another requester'));
      return view(grant);
    },
  );

  app.post<{ Body: schemas.ReportBody }>(
    '/v1/reports',
    route('requester', {
      summary: 'What the shell has to tell for the record',
      body: schemas.ReportBodySchema,
      answers: { 204: Type.Null() },
    }),
    async (request, reply) => send(reply, await recordReport(parts, callerOf(request).subject, request.body)),
  );
};

const send = (reply: FastifyReply, { status, body }: Reply): FastifyReply => reply.code(status).send(body);

function filterOf(request: FastifyRequest<{ Querystring: ListQuery }>, limit: number, nowMs: number): GrantFilter {
  const { state, before, id } = request.query;
  const { subject } = callerOf(request);
  return {
    limit,
    nowMs,
    ...(subject.role === 'requester' ? { requesterId: subject.id } : {}),
    ...(state === undefined ? {} : { states: [state] }),
    ...(before === undefined ? {} : { beforeMs: Number(before) }),
    ...(id === undefined ? {} : { idPrefix: id }),
  };
}
