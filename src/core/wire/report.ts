/** `POST /v1/reports`: a host reports an event, which the server records. */
import { Type } from 'typebox';
import { closed, Id, literals, type Shape } from './schema-parts.ts';

export const ReportBodySchema = Type.Object(
  {
    event: literals('line.finished', 'line.refused', 'session.opened', 'session.closed'),
    sessionId: Type.String({ maxLength: 128 }),
    grantId: Type.Optional(Id),
    status: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    text: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  closed,
);
/**
 * @property sessionId the id of the session on the host (`s_…`)
 * @property grantId   the grant under which the line ran; absent: the host names no grant
 * @property status    the exit status of the line or of the session, 0 to 255; absent: the event has no status
 * @property text      a text about the event for the audit log
 */
export type ReportBody = Shape<typeof ReportBodySchema>;
