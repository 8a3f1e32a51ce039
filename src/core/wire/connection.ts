/** The frames of a persistent connection (`PERSISTENT_CONNECTION`): JSON, one call or one answer in each. */
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
 * @property id   chosen by the caller, and repeated in the answer
 * @property call `POST /v1/requests` or `POST /v1/reports`
 */
export type ConnectionCall = Shape<typeof ConnectionCallSchema>;

export const ConnectionAnswerSchema = Type.Object({
  id: CallId,
  status: Type.Integer(),
  body: Type.Optional(Type.Unknown()),
});
/** @property status and body as in the answer over HTTP */
export type ConnectionAnswer = Shape<typeof ConnectionAnswerSchema>;
