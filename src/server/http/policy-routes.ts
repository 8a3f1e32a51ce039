/** The API of policies: rules that forbid, and reading that needs nobody. Approvers alone. */
import type { FastifyReply } from 'fastify';
import type { Failure } from '../../core/failure.ts';
import type { Result } from '../../core/result.ts';
import type { PolicyBody } from '../../core/wire/policy.ts';
import { PolicyBodySchema, PolicyListQuerySchema, PolicyListSchema, PolicyViewSchema } from '../../core/wire/policy.ts';
import { ReadingEvidenceSchema } from '../../core/wire/reading-evidence.ts';
import { IdParams } from '../../core/wire/schema-parts.ts';
import { RequesterListSchema } from '../../core/wire/subject.ts';
import { createPolicy, endPolicy, type PolicyOutcome } from '../grants/policy-changes.ts';
import { policyView } from '../grants/policy-view.ts';
import { readingEvidence } from '../grants/reading-policy.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import { textFault } from './request-fault.ts';

const MAX_LISTED = 500;
const POLICY_BODY_LIMIT = 256 * 1024;

export const policyRoutes: ApiRoutes = (app, parts) => {
  function answer(reply: FastifyReply, result: Result<PolicyOutcome, Failure>) {
    const outcome = valueOrRefuse(parts, reply, result);
    if (outcome === undefined) return reply;
    return outcome.ok ? policyView(outcome.value) : refuse(parts, reply, outcome.failure);
  }

  app.get<{ Querystring: { state?: 'live' | 'ended' } }>(
    '/v1/policies',
    route('approver', {
      summary: 'Policies, the newest first; those that count unless told otherwise',
      querystring: PolicyListQuerySchema,
      answers: { 200: PolicyListSchema },
    }),
    async (request, reply) => {
      const isLive = request.query.state !== 'ended';
      const found = await parts.store.read((rows) => rows.policies({ isLive, limit: MAX_LISTED }));
      const policies = valueOrRefuse(parts, reply, found);
      return policies === undefined ? reply : { policies: policies.map(policyView) };
    },
  );

  app.post<{ Body: PolicyBody }>(
    '/v1/policies',
    route(
      'approver',
      {
        summary: 'Forbid something whatever grants there are, or let a requester read without asking',
        body: PolicyBodySchema,
        answers: { 200: PolicyViewSchema },
      },
      POLICY_BODY_LIMIT,
    ),
    async (request, reply) => {
      const { body } = request;
      const texts = [body.reason, ...('text' in body ? [body.text ?? undefined] : body.directories)];
      const fault = texts.map(textFault).find((each) => each !== null);
      if (fault !== undefined) return refuse(parts, reply, refusal('request.malformed', fault ?? ''));
      return answer(reply, await createPolicy(parts, callerOf(request).subject, body));
    },
  );

  for (const method of ['POST', 'DELETE'] as const)
    app.route<{ Params: { id: string } }>({
      method,
      url: '/v1/policies/:id/end',
      ...route('approver', { summary: 'End a policy', params: IdParams, answers: { 200: PolicyViewSchema } }),
      handler: async (request, reply) =>
        answer(reply, await endPolicy(parts, callerOf(request).subject, request.params.id)),
    });

  app.get(
    '/v1/requesters',
    route('approver', {
      summary: 'Everybody who may ask',
      answers: { 200: RequesterListSchema },
    }),
    async (_request, reply) => {
      const found = valueOrRefuse(parts, reply, await parts.store.read((rows) => rows.requesters()));
      if (found === undefined) return reply;
      const requesters = found.map(({ id, name, host, user, revokedAtMs }) => ({ id, name, host, user, revokedAtMs }));
      return { requesters };
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/requesters/:id/reading-evidence',
    route('approver', {
      summary: 'What a requester only read so far, and where',
      params: IdParams,
      answers: { 200: ReadingEvidenceSchema },
    }),
    async (request, reply) => {
      const found = await parts.store.read(async (rows) => {
        const requester = await rows.subject(request.params.id);
        if (requester?.role !== 'requester') return null;
        return readingEvidence(requester, await parts.past.of(rows, requester.id));
      });
      const evidence = valueOrRefuse(parts, reply, found);
      if (evidence === undefined) return reply;
      return evidence ?? refuse(parts, reply, refusal('requester.not_found', 'there is no such requester'));
    },
  );
};
