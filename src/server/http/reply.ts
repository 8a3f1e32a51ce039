/** Turns the result of a call into an HTTP answer. Only this file gives a refusal its status and its body. */
import type { FastifyReply } from 'fastify';
import type { Result } from '../../core/result.ts';
import { ERROR_STATUS } from '../../core/wire/error.ts';
import { grantView } from '../grants/grant-view.ts';
import type { Refusal } from '../refusal.ts';
import type { ServerPorts } from '../server-ports.ts';
import { instanceOf, PROBLEM_TYPE, problemBody } from './problem.ts';

/** `Retry-After` for a temporary refusal. A requester that waits for a decision does not need this header: a stream wakes the requester. */
const RETRY_AFTER_S = 1;

/** An answer: HTTP status, and the body as JSON if there is one. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * Makes the answer from a result.
 * @param instance the address that was called; null: the address is not known, or can contain a secret
 */
export function replyOf(parts: ServerPorts, result: Result<Reply, Refusal>, instance: string | null): Reply {
  if (result.ok) return result.value;
  const { code, message, grant, passkey } = result.failure;
  const shown = grant === undefined ? {} : { grant: grantView(grant, parts.clock.nowMs(), parts.publicUrl()) };
  const signing = passkey === undefined ? {} : { passkey };
  return { status: ERROR_STATUS[code], body: problemBody({ code, message, ...shown, ...signing }, instance) };
}

export function sendResult(parts: ServerPorts, reply: FastifyReply, result: Result<Reply, Refusal>): FastifyReply {
  const { status, body } = replyOf(parts, result, instanceOf(reply.request.url));
  if (status === 503 || status === 429) reply.header('retry-after', RETRY_AFTER_S);
  if (!result.ok) reply.type(PROBLEM_TYPE);
  return reply.code(status).send(body);
}

/** Answers a call that breaks the rules of HTTP or of a schema, with the given status. */
export function sendMalformed(reply: FastifyReply, status: number, message: string): FastifyReply {
  const body = problemBody({ code: 'request.malformed', message }, instanceOf(reply.request.url), status);
  return reply.code(status).type(PROBLEM_TYPE).send(body);
}
