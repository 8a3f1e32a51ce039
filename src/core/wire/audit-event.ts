/** `GET /v1/audit`: the record of everything, in order. */
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
    after: Type.Optional(digits('only events with a higher number; 0 unless told')),
    limit: Type.Optional(digits('1 to 1000; 200 unless told')),
  },
  closed,
);
/**
 * @property next the `after` of the next page; null: these are the last events for now
 * @property cut  events after `after` were removed, the last of them with this number; null: none
 */
export const AuditListSchema = Type.Object({
  events: Type.Array(AuditEventSchema),
  next: nullable(Type.Integer()),
  cut: nullable(Type.Integer()),
});

/** `GET /v1/events`, a stream: events after that one are sent first. */
export const EventsQuerySchema = Type.Object({ after: Type.Optional(digits('the number of an audit event')) }, closed);
