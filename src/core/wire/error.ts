/** The body of every answer of the API with an error status (4xx or 5xx), and the only table of error codes with their statuses. */
import { Type } from 'typebox';
import { SEND_ENDINGS } from '../message/send-outcome.ts';
import { GrantViewSchema } from './grant-view.ts';
import { PasskeyRequestSchema } from './passkeys.ts';
import { literals, type Shape } from './schema-parts.ts';

/** Codes about messages into sessions. */
const SESSION_ERROR_STATUS = {
  MESSAGE_REQUIRED: 400,
  MESSAGE_TOO_LONG: 400,
  MESSAGE_IS_COMMAND: 400,
  MESSAGE_NOT_TAKEN: SEND_ENDINGS['not-taken'].status,
  SESSION_AWAITING_DECISION: SEND_ENDINGS['awaiting-decision'].status,
  SESSION_BUSY: SEND_ENDINGS.busy.status,
  SESSION_DRAFT_PRESENT: SEND_ENDINGS['draft-present'].status,
  SESSION_NOT_FOUND: SEND_ENDINGS['not-found'].status,
  SESSION_STATE_UNKNOWN: SEND_ENDINGS.unknown.status,
  SESSION_TERMINATED: SEND_ENDINGS.terminated.status,
  SESSION_UNREACHABLE: 503,
} as const;

export const ERROR_STATUS = {
  'request.malformed': 400,
  'auth.missing': 401,
  'auth.expired': 401,
  'auth.unknown': 401,
  'auth.replaced': 401,
  'auth.revoked': 401,
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
  'match.needed': 409,
  'match.wrong': 409,
  'term.over': 422,
  'plan.by_parts': 409,
  'plan.unfit': 422,
  'scope.unfit': 422,
  'scope.forbidden': 422,
  'scope.not_covering': 422,
  'seal.needed': 409,
  'seal.required': 409,
  'seal.unfit': 422,
  'batch.one_by_one': 422,
  'batch.unfit': 422,
  'approvers.unfit': 422,
  'approver.limits': 403,
  'approver.own_request': 403,
  'policy.denied': 403,
  'policy.not_found': 404,
  'policy.ended': 409,
  'policy.unfit': 422,
  'passkey.needed': 403,
  'passkey.none_here': 403,
  'passkey.no_name': 409,
  'passkey.origin': 403,
  'passkey.over': 403,
  'passkey.unverified': 403,
  'passkey.refused': 403,
  'passkey.unknown': 404,
  'passkey.copied': 403,
  'passkey.known': 409,
  'passkey.last': 409,
  'passkey.too_many': 409,
  'recovery.unknown': 403,
  'person.not_found': 404,
  'person.name_taken': 409,
  'break_glass.not_found': 404,
  'sign_in.not_found': 404,
  'requester.not_found': 404,
  'requester.paused': 403,
  'running.not_found': 404,
  'host.gone': 503,
  'host.slow': 504,
  'host.unable': 409,
  'enrolment.not_found': 404,
  'enrolment.decided': 409,
  'enrolment.nonce_known': 409,
  'enrolment.nonce_wrong': 422,
  'enrolment.no_code': 409,
  'enrolment.other_code': 409,
  'channel.not_found': 404,
  'idempotency.other_call': 422,
  'idempotency.under_way': 409,
  'idempotency.unknown': 409,
  'idempotency.given': 409,
  'problem.not_found': 404,
  'server.too_many': 429,
  'server.busy': 503,
  'server.database_away': 503,
  'server.database_full': 503,
  'server.failed': 503,
  ...SESSION_ERROR_STATUS,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
export type SessionErrorCode = keyof typeof SESSION_ERROR_STATUS;

export const ErrorBodySchema = Type.Object({
  type: Type.String({ description: 'what kind of problem (RFC 9457): a path on this server, `/v1/problems/CODE`' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.Optional(
    Type.String({ description: 'the path that was called; absent if it is not known or can contain a secret' }),
  ),
  error: Type.Object({
    code: literals(...(Object.keys(ERROR_STATUS) as ErrorCode[])),
    message: Type.String(),
    grant: Type.Optional(GrantViewSchema),
    passkey: Type.Optional(PasskeyRequestSchema),
  }),
});
/**
 * `code` is stable, for programs. `detail` and `message` are the same text, for people. The code determines `type`, `title` and `status`.
 * Only `request.malformed` can have another status, such as 413 for a body that is too large.
 * @property grant   the grant that the error is about
 * @property passkey present if the caller has to sign this challenge and send the same call again with the signature
 */
export type ErrorBody = Shape<typeof ErrorBodySchema>;
