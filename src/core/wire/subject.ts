/** The response bodies of `GET /v1/whoami` (the caller) and `GET /v1/requesters` (all requesters). */
import { Type } from 'typebox';
import { literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

/** `host` and `user` are empty unless the role is `requester`. */
export const WhoamiSchema = Type.Object({
  subjectId: Type.String(),
  role: literals('requester', 'approver', 'auditor', 'break-glass'),
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
});
export type Whoami = Shape<typeof WhoamiSchema>;

/** All requesters, also revoked requesters, sorted by name. `revokedAtMs` is null if the requester is not revoked. */
export const RequesterListSchema = Type.Object({
  requesters: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      host: Type.String(),
      user: Type.String(),
      revokedAtMs: nullable(Milliseconds),
    }),
  ),
});
