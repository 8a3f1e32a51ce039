/** Sends answers with an entity tag. If the caller already has the same answer, sends 304 without a body. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Result } from '../../core/result.ts';
import type { Refusal } from '../refusal.ts';
import type { ServerPorts } from '../server-ports.ts';
import { type Reply, sendResult } from './reply.ts';

const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** Whether the header `If-None-Match` has this tag. `W/` (a weak tag) is ignored, and `*` matches every tag (RFC 9110). */
const names = (sent: string, tag: string): boolean =>
  sent.trim() === '*' || sent.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);

/** Sends the answer with its tag, or 304 if the caller sent this tag. Only an answer with status 200 has a tag. */
export function sendFresh(
  parts: ServerPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  result: Result<Reply, Refusal>,
): FastifyReply {
  if (!result.ok || result.value.status !== 200) return sendResult(parts, reply, result);
  const text = JSON.stringify(result.value.body);
  const tag = tagOf(text);
  reply.header('etag', tag);
  const sent = request.headers['if-none-match'];
  if (sent !== undefined && names(sent, tag)) return reply.code(304).send();
  return reply.code(200).type('application/json; charset=utf-8').send(text);
}
