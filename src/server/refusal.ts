/** Every answer that is not 2xx: one status per code, one body shape. */
import type { FastifyReply } from 'fastify';
import type { Failure } from '../core/failure.ts';
import type { Grant, GrantState } from '../core/grant.ts';
import type { ErrorBody, ErrorCode } from '../core/wire.ts';
import { grantView } from './grants/grant-view.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  'request.malformed': 400,
  'auth.missing': 401,
  'auth.expired': 401,
  'auth.unknown': 401,
  'auth.forbidden': 403,
  'csrf.failed': 403,
  'grant.not_found': 404,
  'grant.not_yours': 403,
  'grant.pending': 409,
  'grant.denied': 409,
  'grant.withdrawn': 409,
  'grant.used': 409,
  'grant.revoked': 409,
  'grant.expired': 409,
  'grant.already_approved': 409,
  'grant.stale': 409,
  'grant.fingerprint_mismatch': 409,
  'term.over': 422,
  'scope.unfit': 422,
  'scope.forbidden': 422,
  'scope.not_covering': 422,
  'policy.denied': 403,
  'policy.not_found': 404,
  'policy.ended': 409,
  'policy.unfit': 422,
  'requester.not_found': 404,
  'enrolment.not_found': 404,
  'enrolment.decided': 409,
  'server.busy': 503,
  'server.failed': 503,
  MESSAGE_REQUIRED: 400,
  MESSAGE_TOO_LONG: 400,
  MESSAGE_IS_COMMAND: 400,
  MESSAGE_NOT_TAKEN: 409,
  SESSION_AWAITING_DECISION: 409,
  SESSION_BUSY: 409,
  SESSION_DRAFT_PRESENT: 409,
  SESSION_NOT_FOUND: 404,
  SESSION_STATE_UNKNOWN: 409,
  SESSION_TERMINATED: 409,
  SESSION_UNREACHABLE: 503,
};

/** `grant` as it is now, where one is concerned. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly grant?: Grant;
}

export const refusal = (code: ErrorCode, message: string, grant?: Grant): Refusal =>
  grant === undefined ? { code, message } : { code, message, grant };

const STATE_MESSAGE: Readonly<Record<GrantState, string>> = {
  pending: 'nobody has decided this grant yet',
  approved: 'this grant is approved already',
  denied: 'this grant was denied',
  withdrawn: 'this grant was withdrawn by the requester',
  used: 'this grant was used already',
  revoked: 'this grant was revoked',
  expired: 'this grant has expired',
};

/** The grant is in a state in which what was asked for cannot happen. */
export function wrongState(state: GrantState, grant: Grant): Refusal {
  return refusal(state === 'approved' ? 'grant.already_approved' : `grant.${state}`, STATE_MESSAGE[state], grant);
}

/** What the database's trouble looks like from outside: never its details. */
export function storeRefusal(failure: Failure): Refusal {
  return failure.detail === 'store.locked'
    ? refusal('server.busy', 'the database is busy; try again')
    : refusal('server.failed', 'the server cannot use its database; nothing was decided or run');
}

export const statusOf = ({ code }: Refusal): number => STATUS[code];

export function refusalBody({ code, message, grant }: Refusal, nowMs: number, publicUrl: string): ErrorBody {
  return { error: { code, message, ...(grant === undefined ? {} : { grant: grantView(grant, nowMs, publicUrl) }) } };
}

export function sendRefusal(reply: FastifyReply, refused: Refusal, nowMs: number, publicUrl: string): FastifyReply {
  return reply.code(statusOf(refused)).send(refusalBody(refused, nowMs, publicUrl));
}
