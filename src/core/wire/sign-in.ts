/** How a caller uses its key to get a token: `POST /v1/auth/challenge`, then `POST /v1/auth/token` with a signature. */
import { Type } from 'typebox';
import { base64Url, closed, Id, Milliseconds, type Shape } from './schema-parts.ts';

export const ChallengeBodySchema = Type.Object({ subjectId: Id }, closed);
export type ChallengeBody = Shape<typeof ChallengeBodySchema>;

export const ChallengeAnswerSchema = Type.Object({ challenge: Type.String(), expiresAtMs: Milliseconds });
export type ChallengeAnswer = Shape<typeof ChallengeAnswerSchema>;

/** @property signature made with the subject's key over `signedText` (`src/server/identity/challenge.ts`) */
export const TokenBodySchema = Type.Object(
  { subjectId: Id, challenge: base64Url(32), signature: base64Url(64) },
  closed,
);
export type TokenBody = Shape<typeof TokenBodySchema>;

/** @property rotate present if an approver asks this host to make a new key */
export const TokenAnswerSchema = Type.Object({
  token: Type.String(),
  expiresAtMs: Milliseconds,
  rotate: Type.Optional(Type.Literal(true)),
});
export type TokenAnswer = Shape<typeof TokenAnswerSchema>;
