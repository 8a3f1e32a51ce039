/** `GET /v1/server`, `GET /healthz` and `GET /readyz`. These calls need no authentication. */
import { Type } from 'typebox';
import { Milliseconds, type Shape } from './schema-parts.ts';

export const ServerInfoSchema = Type.Object({
  product: Type.Literal('ape-shell'),
  version: Type.String(),
  publicKey: Type.String(),
  timeMs: Milliseconds,
  enrolment: Type.Optional(Type.String({ description: 'How the codes of enrolments are made' })),
});
/**
 * @property enrolment absent: an older server, whose codes are hashes without a nonce
 * @property publicKey raw Ed25519 key, base64url; clients pin the key at enrolment
 */
export type ServerInfo = Shape<typeof ServerInfoSchema>;

/** The answer of `GET /healthz` and of `GET /readyz`. */
export const HealthSchema = Type.Object({ status: Type.Literal('ok') });
