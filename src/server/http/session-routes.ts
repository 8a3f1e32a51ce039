/** The API of an approver for live sessions of this installation on this host: list, look, send a message. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { plainEvent } from '../../core/audit-event.ts';
import type { SendMode } from '../../core/send-guard.ts';
import { SEND_ENDINGS, type SendReport } from '../../core/send-outcome.ts';
import { messageFault } from '../../core/sent-text.ts';
import type { SessionErrorCode } from '../../core/wire.ts';
import { type ListedSession, listSessions } from '../../session/find-session.ts';
import { sendToSession } from '../../session/send-client.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, callerOf, refuse, route, valueOrRefuse } from './api-route.ts';
import {
  NudgeBodySchema,
  type SendBody,
  SendBodySchema,
  SendReportSchema,
  SessionViewSchema,
} from './session-schemas.ts';

interface OnSession {
  readonly Params: { readonly id: string };
}

const SessionParams = Type.Object({ id: Type.String({ pattern: '^s_[0-9a-f]{20}$' }) });

export const sessionRoutes: ApiRoutes = (app, parts) => {
  app.get(
    '/v1/sessions',
    route('approver', {
      summary: 'Live sessions of this installation on the host of this server',
      answers: { 200: Type.Object({ sessions: Type.Array(SessionViewSchema) }) },
    }),
    async (_request, reply) => {
      const listed = await sessionsOf(parts, reply);
      return listed === undefined
        ? reply
        : { sessions: listed.map(({ view }) => view).filter((view) => view !== null) };
    },
  );

  app.get<OnSession>(
    '/v1/sessions/:id',
    route('approver', { summary: 'One live session', params: SessionParams, answers: { 200: SessionViewSchema } }),
    async (request, reply) => {
      const listed = await sessionsOf(parts, reply);
      if (listed === undefined) return reply;
      const found = listed.find(({ entry }) => entry.id === request.params.id);
      if (found === undefined) return refuse(parts, reply, notFound);
      if (found.view !== null) return found.view;
      return refuse(
        parts,
        reply,
        found.entry.ended === null
          ? refusal('SESSION_UNREACHABLE', 'the session does not answer')
          : refusal('SESSION_TERMINATED', 'the session has ended'),
      );
    },
  );

  const answers = { 200: SendReportSchema, 202: SendReportSchema };
  app.post<OnSession & { Body: SendBody }>(
    '/v1/sessions/:id/send',
    route('approver', {
      summary: 'Deliver a message into its program; refused while a decision is open there',
      params: SessionParams,
      body: SendBodySchema,
      answers,
    }),
    async (request, reply) =>
      deliver(parts, reply, callerOf(request).subject.id, request.params.id, 'send', request.body),
  );
  app.post<OnSession & { Body: SendBody }>(
    '/v1/sessions/:id/nudge',
    route('approver', {
      summary: 'The same from a program: refused as well while the agent waits for its human',
      params: SessionParams,
      body: NudgeBodySchema,
      answers,
    }),
    async (request, reply) =>
      deliver(parts, reply, callerOf(request).subject.id, request.params.id, 'nudge', request.body),
  );
};

const notFound = refusal('SESSION_NOT_FOUND', 'no such session on the host of this server');

async function sessionsOf(parts: ServerParts, reply: FastifyReply): Promise<readonly ListedSession[] | undefined> {
  if (parts.sessionDirectory === null) return [];
  const listed = await listSessions(parts.sessionDirectory);
  if (listed.ok) return listed.value;
  parts.log.error({ failure: listed.failure }, 'sessions');
  refuse(parts, reply, refusal('SESSION_UNREACHABLE', 'the record of the sessions cannot be used'));
  return undefined;
}

/** Recorded before it is delivered: who, into which session, how long, which digest; never the text. */
async function deliver(
  parts: ServerParts,
  reply: FastifyReply,
  by: string,
  sessionId: string,
  mode: SendMode,
  { message = '', waitIdleMs = 0, via }: SendBody,
): Promise<FastifyReply | SendReport> {
  const fault = messageFault(message);
  if (fault !== null) return refuse(parts, reply, refusal(fault.code, fault.message));
  if (parts.sessionDirectory === null) return refuse(parts, reply, notFound);
  const sha256 = createHash('sha256').update(message).digest('hex');
  const recorded = await change(parts, async (rows) => {
    rows.record(
      plainEvent('session.message', by, parts.clock.nowMs(), {
        sessionId,
        mode,
        sha256,
        bytes: Buffer.byteLength(message),
      }),
    );
    return null;
  });
  if (valueOrRefuse(parts, reply, recorded) === undefined) return reply;
  const sent = await sendToSession(parts.sessionDirectory, sessionId, {
    mode,
    text: message,
    waitIdleMs,
    ...(via === undefined ? {} : { via }),
  });
  if (!sent.ok) return refuse(parts, reply, refusalOf(sent.failure));
  const { status } = SEND_ENDINGS[sent.value.result];
  if (status < 300) return reply.code(status).send(sent.value);
  return refuse(parts, reply, refusal(sent.value.code as SessionErrorCode, sent.value.why));
}

function refusalOf({ detail, message }: { readonly detail?: string; readonly message: string }): Refusal {
  return detail === 'MESSAGE_REQUIRED' || detail === 'MESSAGE_TOO_LONG' || detail === 'MESSAGE_IS_COMMAND'
    ? refusal(detail, message)
    : refusal('SESSION_UNREACHABLE', message);
}
