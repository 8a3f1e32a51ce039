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
 * @property grantId the grant under which the line ran; absent: none is named
 * @property status  the exit status, 0 to 255
 * @property text    a text about the event for the audit log
 */
export type ReportBody = Shape<typeof ReportBodySchema>;
