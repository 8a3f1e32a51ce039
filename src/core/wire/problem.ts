/** `GET /v1/problems/:code`: describes a kind of problem. The `type` of an error is this address (RFC 9457). */
import { Type } from 'typebox';

export const ProblemParams = Type.Object({ code: Type.String({ pattern: '^[A-Za-z_.]{1,64}$' }) });
export const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
});
