/** The caller (`GET /v1/whoami`), and the list of requesters (`GET /v1/requesters`). */
import { Type } from 'typebox';
import { literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

export const WhoamiSchema = Type.Object({
  subjectId: Type.String(),
  role: literals('requester', 'approver', 'auditor', 'break-glass'),
  name: Type.String(),
  host: Type.String(),
  user: Type.String(),
});
export type Whoami = Shape<typeof WhoamiSchema>;

/** `revokedAtMs`: null while the requester may ask. */
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
