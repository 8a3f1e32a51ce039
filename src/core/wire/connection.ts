/** The frames of a persistent connection (`PERSISTENT_CONNECTION`). Each frame is JSON with one call or one answer. */
import { Type } from 'typebox';
import { literals, type Shape } from './schema-parts.ts';

const CallId = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

export const ConnectionCallSchema = Type.Object({
  id: CallId,
  call: literals('ask', 'report'),
  token: Type.String(),
  body: Type.Optional(Type.Unknown()),
});
/**
 * @property id    a number that the caller chooses; the answer repeats it. Answers can come in another order than the calls
 * @property token the token that an HTTP call has in `Authorization: Bearer`
 * @property call  `ask` is `POST /v1/requests`, `report` is `POST /v1/reports`
 * @property body  the body of the request that `call` names
 */
export type ConnectionCall = Shape<typeof ConnectionCallSchema>;

export const ConnectionAnswerSchema = Type.Object({
  id: CallId,
  status: Type.Integer(),
  body: Type.Optional(Type.Unknown()),
});
/** `status` and `body` are the same as in the response to the HTTP request. */
export type ConnectionAnswer = Shape<typeof ConnectionAnswerSchema>;
