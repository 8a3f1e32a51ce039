/**
 * Enrolments: a host's request, the state that the host reads, and the view that approvers read. The event `enrolment` of a stream is also
 * such a view.
 */
import { Type } from 'typebox';
import { base64Url, closed, literals, Milliseconds, type Shape } from './schema-parts.ts';

const Name = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$' });

/** `POST /v1/enrolments` */
export const EnrolBodySchema = Type.Object(
  { name: Name, host: Name, user: Name, publicKey: base64Url(32), role: Type.Literal('requester') },
  closed,
);
export type EnrolBody = Shape<typeof EnrolBodySchema>;

export const EnrolAnswerSchema = Type.Object({
  enrolmentId: Type.String(),
  url: Type.String(),
  code: Type.String(),
  expiresAtMs: Milliseconds,
});
/**
 * @property url  the page on which an approver decides about the enrolment
 * @property code eight characters that both the host and the page show
 */
export type EnrolAnswer = Shape<typeof EnrolAnswerSchema>;

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
  code: Type.String(),
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
