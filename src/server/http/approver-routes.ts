/** The API of an approver: decide, revoke, enrol hosts, read the record, sign out. */
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { plainEvent } from '../../core/audit-event.ts';
import type { Term } from '../../core/grant.ts';
import type { Subject } from '../../store/store.ts';
import { givenScope } from '../grants/given-scope.ts';
import { changeGrant, type WantedChange } from '../grants/grant-changes.ts';
import { grantView } from '../grants/grant-view.ts';
import { cookieName } from '../identity/authentication.ts';
import { decideEnrolment, enrolmentStateAt } from '../identity/enrolment.ts';
import { enrolmentView } from '../identity/enrolment-view.ts';
import { refusal } from '../refusal.ts';
import { change } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import { textFault } from './request-fault.ts';
import * as schemas from './schemas.ts';

interface OnGrant {
  readonly Params: { readonly id: string };
}

/** A scope repeats the environment of its request, which can be large. */
export const APPROVE_BODY_LIMIT = 1024 * 1024;
const LAST_MOMENT_MS = 8_640_000_000_000_000;

export const approverRoutes: ApiRoutes = (app, parts) => {
  const decision = (summary: string, body: Parameters<typeof route>[1]['body'] & object, bodyLimit?: number) =>
    route(
      'approver',
      { summary, params: schemas.IdParams, body, answers: { 200: schemas.GrantViewSchema } },
      bodyLimit,
    );

  async function decide(
    reply: FastifyReply,
    by: Subject,
    grantId: string,
    version: number | null,
    event: WantedChange['event'],
  ) {
    const outcome = valueOrRefuse(parts, reply, await changeGrant(parts, { grantId, by, version, event }));
    if (outcome === undefined) return reply;
    if (outcome.kind === 'refused') return refuse(parts, reply, outcome.refusal);
    return grantView(outcome.grant, parts.clock.nowMs(), parts.publicUrl());
  }

  app.post<OnGrant & { Body: schemas.ApproveBody }>(
    '/v1/grants/:id/approve',
    decision(
      'Approve what was shown, for a term; with a scope also what is like it',
      schemas.ApproveBodySchema,
      APPROVE_BODY_LIMIT,
    ),
    async (request, reply) => {
      const { version, term, scope, confined = false } = request.body;
      const fault = textFault(scope === undefined || 'kind' in scope ? undefined : scope.pathPrefix);
      if (fault !== null) return refuse(parts, reply, refusal('request.malformed', fault));
      const by = callerOf(request).subject;
      return decide(reply, by, request.params.id, version, async (nowMs, grant, rows) => {
        const granted = absoluteTerm(term, nowMs);
        const given = await givenScope(
          parts.rules,
          rows,
          grant,
          { scope: scope ?? null, isConfined: confined },
          granted,
        );
        return { kind: 'approve', by: by.id, term: granted, ...given };
      });
    },
  );

  app.post<OnGrant & { Body: schemas.DenyBody }>(
    '/v1/grants/:id/deny',
    decision('Deny, with a reason the requester sees', schemas.DenyBodySchema),
    async (request, reply) => {
      const { version, reason } = request.body;
      const fault = textFault(reason);
      if (fault !== null) return refuse(parts, reply, refusal('request.malformed', fault));
      const by = callerOf(request).subject;
      const given = reason === undefined || reason.trim() === '' ? null : reason;
      return decide(reply, by, request.params.id, version, () => ({ kind: 'deny', by: by.id, reason: given }));
    },
  );

  app.post<OnGrant & { Body: { version: number } }>(
    '/v1/grants/:id/revoke',
    decision('End an approval', schemas.RevokeBodySchema),
    async (request, reply) => {
      const by = callerOf(request).subject;
      // Between the page and the click an approval can only have been used: that must never keep it from being revoked.
      return decide(reply, by, request.params.id, null, () => ({ kind: 'revoke', by: by.id }));
    },
  );

  app.get(
    '/v1/enrolments',
    route('approver', {
      summary: 'Hosts that wait to be enrolled',
      querystring: Type.Object({ state: Type.Optional(Type.Literal('pending')) }, { additionalProperties: false }),
      answers: { 200: Type.Object({ enrolments: Type.Array(schemas.EnrolmentViewSchema) }) },
    }),
    async (_request, reply) => {
      const found = valueOrRefuse(
        parts,
        reply,
        await parts.store.read((rows) => rows.pendingEnrolments(parts.clock.nowMs())),
      );
      return found === undefined ? reply : { enrolments: found.map((one) => enrolmentView(one, parts.clock.nowMs())) };
    },
  );

  for (const [verb, verdict] of [
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const)
    app.post<OnGrant>(
      `/v1/enrolments/:id/${verb}`,
      route('approver', {
        summary: verb === 'approve' ? 'Let this host use the server' : 'Turn this host away',
        params: schemas.IdParams,
        answers: { 200: schemas.EnrolmentStateSchema },
      }),
      async (request, reply) => {
        const decided = await decideEnrolment(parts, callerOf(request).subject, request.params.id, verdict);
        const outcome = valueOrRefuse(parts, reply, decided);
        if (outcome === undefined) return reply;
        if (!outcome.ok) return refuse(parts, reply, outcome.failure);
        const { requesterId } = outcome.value;
        const state = enrolmentStateAt(outcome.value, parts.clock.nowMs());
        return { state, ...(requesterId === null ? {} : { requesterId }), serverPublicKey: parts.serverKey.publicKey };
      },
    );

  app.get<{ Querystring: { after?: string; limit?: string } }>(
    '/v1/audit',
    route('approver', {
      summary: 'The record of everything, in order',
      querystring: schemas.AuditQuerySchema,
      answers: { 200: Type.Object({ events: Type.Array(schemas.AuditEventSchema) }) },
    }),
    async (request, reply) => {
      const limit = Number(request.query.limit ?? '200');
      if (limit < 1 || limit > 1000)
        return refuse(parts, reply, refusal('request.malformed', 'limit must be between 1 and 1000'));
      const after = Number(request.query.after ?? '0');
      const events = valueOrRefuse(parts, reply, await parts.store.read((rows) => rows.events(after, limit)));
      return events === undefined ? reply : { events };
    },
  );

  app.delete(
    '/v1/session',
    route('approver', { summary: 'Sign out', answers: { 204: Type.Null() } }),
    async (request, reply) => {
      const { session, subject } = callerOf(request);
      if (session !== null) {
        const ended = await change(parts, async (rows) => {
          await rows.endSession(session.hash);
          rows.record(plainEvent('owner.signed_out', subject.id, parts.clock.nowMs()));
          return null;
        });
        if (valueOrRefuse(parts, reply, ended) === undefined) return reply;
      }
      return reply.clearCookie(cookieName(parts.publicUrl()), { path: '/' }).code(204).send();
    },
  );
};

function absoluteTerm(term: schemas.ApproveBody['term'], nowMs: number): Term {
  return 'forMs' in term ? { kind: 'timed', untilMs: Math.min(nowMs + term.forMs, LAST_MOMENT_MS) } : term;
}
