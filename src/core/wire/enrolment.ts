/**
 * Enrolments: a host's request, the state that the host reads, and the view that approvers read. The event `enrolment` of a stream is also
 * such a view.
 */
import { Type } from 'typebox';
import { base64Url, closed, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const Name = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$' });

/** `POST /v1/enrolments` */
export const EnrolBodySchema = Type.Object(
  {
    name: Name,
    host: Name,
    user: Name,
    publicKey: base64Url(32),
    role: Type.Literal('requester'),
    commitment: Type.Optional({
      ...base64Url(32),
      description: 'SHA-256 of a new nonce of 32 bytes. Without this member the server refuses the call',
    }),
  },
  closed,
);
export type EnrolBody = Shape<typeof EnrolBodySchema>;

export const EnrolAnswerSchema = Type.Object({
  enrolmentId: Type.String(),
  url: Type.String(),
  expiresAtMs: Milliseconds,
});
/** @property url the page on which an approver decides about the enrolment */
export type EnrolAnswer = Shape<typeof EnrolAnswerSchema>;

/** `POST /v1/enrolments/:id/nonce`: the server takes one nonce, and only if its SHA-256 is the commitment. */
export const EnrolNonceBodySchema = Type.Object({ nonce: base64Url(32) }, closed);
export type EnrolNonceBody = Shape<typeof EnrolNonceBodySchema>;

const Code = Type.String({ pattern: '^[A-Z2-7]{8}$', description: 'Both the host and the page show this code' });

export const EnrolNonceAnswerSchema = Type.Object({ code: Code });
export type EnrolNonceAnswer = Shape<typeof EnrolNonceAnswerSchema>;

/**
 * `POST /v1/enrolments/:id/approve`. An older page sends no body. The schema accepts a missing code, so that the server can say what is
 * missing. The server refuses an approval without a code.
 */
export const ApproveEnrolmentBodySchema = nullable(Type.Object({ code: Type.Optional(Code) }, closed));

const StateSchema = literals('pending', 'approved', 'denied', 'expired');

/** `GET /v1/enrolments/:id` */
export const EnrolmentStateSchema = Type.Object({
  state: StateSchema,
  requesterId: Type.Optional(Type.String()),
  serverPublicKey: Type.String(),
});
/**
 * @property requesterId     present only if the enrolment is approved
 * @property serverPublicKey raw Ed25519, base64url
 */
export type EnrolmentState = Shape<typeof EnrolmentStateSchema>;

const TwinSchema = Type.Object({
  requesterId: Type.String(),
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
  sinceMs: Milliseconds,
});

const EnrolmentViewSchema = Type.Object({
  id: Type.String(),
  state: StateSchema,
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
  publicKey: Type.String(),
  code: nullable(Type.String({ description: 'Null until the host has sent its nonce' })),
  createdAtMs: Milliseconds,
  expiresAtMs: Milliseconds,
  twins: Type.Optional(
    Type.Array(TwinSchema, {
      description: 'Enrolled requesters that have the same name, or the same host and user; absent in events',
    }),
  ),
});
/** @property publicKey raw Ed25519, base64url */
export type EnrolmentView = Shape<typeof EnrolmentViewSchema>;

/** `GET /v1/enrolments`: returns the pending enrolments, the newest first. The parameter `state` changes nothing. */
export const EnrolmentListQuerySchema = Type.Object({ state: Type.Optional(Type.Literal('pending')) }, closed);
export const EnrolmentListSchema = Type.Object({ enrolments: Type.Array(EnrolmentViewSchema) });
