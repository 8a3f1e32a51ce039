/** The public API: what server this is, proving a key, asking to be enrolled. */
import { Type } from 'typebox';
import type { ServerInfo } from '../../core/wire.ts';
import { newChallenge, redeemChallenge } from '../identity/challenge.ts';
import { enrolmentStateAt, requestEnrolment } from '../identity/enrolment.ts';
import { refusal } from '../refusal.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import * as schemas from './schemas.ts';

export const publicRoutes: ApiRoutes = (app, parts) => {
  app.get(
    '/v1/server',
    route('public', { summary: 'What server this is', answers: { 200: schemas.ServerInfoSchema } }),
    async (): Promise<ServerInfo> => ({
      product: 'ape-shell',
      version: parts.version,
      publicKey: parts.serverKey.publicKey,
      timeMs: parts.clock.nowMs(),
    }),
  );

  app.get(
    '/health',
    route('public', {
      summary: 'Whether the database answers',
      answers: { 200: Type.Object({ status: Type.Literal('ok') }) },
    }),
    async (_request, reply) => {
      const seen = valueOrRefuse(parts, reply, await parts.store.read((rows) => rows.lastSeq()));
      return seen === undefined ? reply : { status: 'ok' };
    },
  );

  app.post<{ Body: { subjectId: string } }>(
    '/v1/auth/challenge',
    route('public', {
      summary: 'A challenge to sign, good for 60 s and one use',
      body: schemas.ChallengeBodySchema,
      answers: { 200: schemas.ChallengeAnswerSchema },
    }),
    async (request) => newChallenge(parts, request.body.subjectId),
  );

  app.post<{ Body: schemas.TokenBody }>(
    '/v1/auth/token',
    route('public', {
      summary: 'A token for 15 minutes, for a signed challenge',
      body: schemas.TokenBodySchema,
      answers: { 200: schemas.TokenAnswerSchema },
    }),
    async (request, reply) => {
      const answer = valueOrRefuse(parts, reply, await redeemChallenge(parts, request.body));
      if (answer === undefined) return reply;
      if (answer !== null) return answer;
      parts.log.warn({ subjectId: request.body.subjectId }, 'sign-in refused');
      return refuse(parts, reply, refusal('auth.unknown', 'this key is not known here, or the challenge is over'));
    },
  );

  app.get(
    '/v1/whoami',
    route('authenticated', { summary: 'Who the caller is', answers: { 200: schemas.WhoamiSchema } }),
    async (request) => {
      const { id, role, name, host, user } = callerOf(request).subject;
      return { subjectId: id, role, name, host, user };
    },
  );

  app.post<{ Body: schemas.EnrolBody }>(
    '/v1/enrolments',
    route('public', {
      summary: 'A host asks to use this server',
      body: schemas.EnrolBodySchema,
      answers: { 201: schemas.EnrolAnswerSchema },
    }),
    async (request, reply) => {
      const outcome = valueOrRefuse(parts, reply, await requestEnrolment(parts, request.body));
      if (outcome === undefined) return reply;
      if (!outcome.ok) return refuse(parts, reply, outcome.failure);
      const { id, code, expiresAtMs } = outcome.value;
      return reply.code(201).send({ enrolmentId: id, url: `${parts.publicUrl()}/enrolments/${id}`, code, expiresAtMs });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/enrolments/:id',
    route('public', {
      summary: 'How an enrolment stands',
      params: schemas.IdParams,
      answers: { 200: schemas.EnrolmentStateSchema },
    }),
    async (request, reply) => {
      const found = await parts.store.read(async (rows) => (await rows.enrolment(request.params.id)) ?? null);
      const enrolment = valueOrRefuse(parts, reply, found);
      if (enrolment === undefined) return reply;
      if (enrolment === null) return refuse(parts, reply, refusal('enrolment.not_found', 'there is no such enrolment'));
      return {
        state: enrolmentStateAt(enrolment, parts.clock.nowMs()),
        ...(enrolment.requesterId === null ? {} : { requesterId: enrolment.requesterId }),
        serverPublicKey: parts.serverKey.publicKey,
      };
    },
  );
};
