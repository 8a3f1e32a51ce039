/**
 * The body and the answer of `POST /v1/auth/rotate`: a host replaces its key. An approver can ask a host to do so with
 * `POST /v1/requesters/:id/rotate`; this file has no schema for that route.
 */
import { Type } from 'typebox';
import { base64Url, closed, Id, type Shape } from './schema-parts.ts';
import { TokenAnswerSchema } from './sign-in.ts';

export const RotateBodySchema = Type.Object(
  {
    subjectId: Id,
    challenge: base64Url(32),
    replaces: base64Url(32),
    publicKey: base64Url(32),
    oldSignature: base64Url(64),
    newSignature: base64Url(64),
  },
  closed,
);
/**
 * @property challenge    from `POST /v1/auth/challenge`
 * @property replaces     the old key; all keys are raw Ed25519, base64url
 * @property publicKey    the new key
 * @property oldSignature the signature of `rotationText` (`core/key-rotation.ts`) with the old key
 * @property newSignature the signature of the same text with the new key
 */
export type RotateBody = Shape<typeof RotateBodySchema>;

/** @property proof the server's signature of `rotatedText`. The signature shows that the server has accepted the new key */
export const RotateAnswerSchema = Type.Object({ ...TokenAnswerSchema.properties, proof: base64Url(64) });
export type RotateAnswer = Shape<typeof RotateAnswerSchema>;
