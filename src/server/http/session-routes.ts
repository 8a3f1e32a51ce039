/** The API for the live sessions of this installation on this host. Approvers without limits can also send messages to sessions. */
import { createHash } from 'node:crypto';
import { plainEvent } from '../../core/grant/audit-event.ts';
import type { SendMode } from '../../core/message/send-guard.ts';
import { SEND_ENDINGS, type SendReport } from '../../core/message/send-outcome.ts';
import { messageFault } from '../../core/message/sent-text.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { SessionErrorCode } from '../../core/wire/error.ts';
import { NudgeBodySchema, type SendBody, SendBodySchema, SendReportSchema } from '../../core/wire/send.ts';
import { SessionListSchema, SessionParams, SessionViewSchema } from '../../core/wire/session-view.ts';
import { type ListedSession, listSessions } from '../../session/client/find-session.ts';
import { sendToSession } from '../../session/client/send-client.ts';
import type { Subject } from '../../store/store.ts';
import { limitsOf } from '../identity/people-rules.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { change, read, type ServerParts } from '../server-ports.ts';
import { type ApiRoutes, endpointsOf, withBody } from './api-route.ts';

export const sessionRoutes: ApiRoutes = (app, parts) => {
  const endpoint = endpointsOf(app, parts);

  endpoint(
    'reader',
    'GET',
    '/v1/sessions',
    {
      summary: 'Live sessions of this installation on the host of this server, without those that do not answer',
      answers: { 200: SessionListSchema },
    },
    async ({ caller }) => {
      const listed = await sessionsFor(parts, caller.subject);
      if (!listed.ok) return listed;
      return withBody({ sessions: listed.value.map(({ view }) => view).filter((view) => view !== null) });
    },
  );

  endpoint(
    'reader',
    'GET',
    '/v1/sessions/:id',
    { summary: 'One live session', params: SessionParams, answers: { 200: SessionViewSchema } },
    async ({ caller, params }) => {
      const listed = await sessionsFor(parts, caller.subject);
      if (!listed.ok) return listed;
      const found = listed.value.find(({ entry }) => entry.id === params.id);
      if (found === undefined) return failed(notFound);
      if (found.view !== null) return withBody(found.view);
      return failed(
        found.entry.ended === null
          ? refusal('SESSION_UNREACHABLE', 'the session does not answer')
          : refusal('SESSION_TERMINATED', 'the session has ended'),
      );
    },
  );

  const delivering = { params: SessionParams, answers: { 200: SendReportSchema, 202: SendReportSchema } };
  endpoint(
    'approver',
    'POST',
    '/v1/sessions/:id/send',
    {
      summary: 'Send a message into the program of a session; refused while a decision is open there',
      ...delivering,
      body: SendBodySchema,
    },
    async ({ caller, params, body }) => deliver(parts, caller.subject.id, params.id, 'send', body),
  );
  endpoint(
    'approver',
    'POST',
    '/v1/sessions/:id/nudge',
    {
      summary: 'Send a message that a program wrote; refused like `send`, and also while the agent waits for its human',
      ...delivering,
      body: NudgeBodySchema,
    },
    async ({ caller, params, body }) => deliver(parts, caller.subject.id, params.id, 'nudge', body),
  );
};

const notFound = refusal('SESSION_NOT_FOUND', 'no such session on the host of this server');

/**
 * Returns the sessions. Refuses an approver with limits: this list names no requesters, so the limits cannot be checked. The page
 * *Sessions* uses a list with requesters (`runningHosts`), and shows such an approver the sessions within the limits.
 */
async function sessionsFor(parts: ServerParts, by: Subject): Promise<Result<readonly ListedSession[], Refusal>> {
  if (by.role === 'approver') {
    const limits = await read(parts, (rows) => limitsOf(rows, by));
    if (!limits.ok) return limits;
    if (limits.value !== null)
      return failed(
        refusal('approver.limits', 'only an approver without limits sees the sessions of this installation'),
      );
  }
  return sessionsOf(parts);
}

async function sessionsOf(parts: ServerParts): Promise<Result<readonly ListedSession[], Refusal>> {
  if (parts.sessionDirectory === null) return success([]);
  const listed = await listSessions(parts.sessionDirectory);
  if (listed.ok) return listed;
  parts.log.error({ failure: listed.failure }, 'the sessions cannot be listed');
  return failed(refusal('SESSION_UNREACHABLE', 'the record of the sessions cannot be used'));
}

interface Delivered {
  readonly status: 200 | 202;
  readonly body: SendReport;
}

/** Records a message, and then delivers it. The record has the length and the digest of the text, but never the text. */
async function deliver(
  parts: ServerParts,
  by: string,
  sessionId: string,
  mode: SendMode,
  { message = '', waitIdleMs = 0, via }: SendBody,
): Promise<Result<Delivered, Refusal>> {
  const fault = messageFault(message);
  if (fault !== null) return failed(refusal(fault.code, fault.message));
  if (parts.sessionDirectory === null) return failed(notFound);
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
    return success(null);
  });
  if (!recorded.ok) return recorded;
  const sent = await sendToSession(parts.sessionDirectory, sessionId, {
    mode,
    text: message,
    waitIdleMs,
    ...(via === undefined ? {} : { via }),
  });
  if (!sent.ok) return failed(refusalOf(sent.failure));
  const { status } = SEND_ENDINGS[sent.value.result];
  if (status === 200 || status === 202) return success({ status, body: sent.value });
  return failed(refusal(sent.value.code as SessionErrorCode, sent.value.why));
}

function refusalOf({ detail, message }: { readonly detail?: string; readonly message: string }): Refusal {
  return detail === 'MESSAGE_REQUIRED' || detail === 'MESSAGE_TOO_LONG' || detail === 'MESSAGE_IS_COMMAND'
    ? refusal(detail, message)
    : refusal('SESSION_UNREACHABLE', message);
}
