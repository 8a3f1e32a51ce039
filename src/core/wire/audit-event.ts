/** `GET /v1/audit`: the events of the audit log, in order. `core/grant/audit-event.ts` explains the members of an event. */
import { Type } from 'typebox';
import { closed, digits, Milliseconds, nullable } from './schema-parts.ts';

export const AuditEventSchema = Type.Object({
  seq: Type.Integer(),
  atMs: Milliseconds,
  kind: Type.String(),
  actorId: nullable(Type.String()),
  grantId: nullable(Type.String()),
  enrolmentId: nullable(Type.String()),
  facts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  prevHash: nullable(Type.String()),
  hash: nullable(Type.String()),
});

export const AuditQuerySchema = Type.Object(
  {
    after: Type.Optional(digits('only events with a higher number; default 0')),
    limit: Type.Optional(digits('1 to 1000; default 200')),
  },
  closed,
);
/**
 * @property next the `after` of the next page; null: there are no later events yet
 * @property cut  the number of the newest event that retention removed; null: retention removed no event after `after`
 */
export const AuditListSchema = Type.Object({
  events: Type.Array(AuditEventSchema),
  next: nullable(Type.Integer()),
  cut: nullable(Type.Integer()),
});

/**
 * `GET /v1/events`, a stream of changes. The stream begins with the present state of everything that changed after the event `after`.
 * If the request has neither `after` nor `Last-Event-ID`, the stream begins with the next change.
 */
export const EventsQuerySchema = Type.Object({ after: Type.Optional(digits('the number of an audit event')) }, closed);
