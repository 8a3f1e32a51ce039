/** The events of the server's audit log. An event about a change is appended in the transaction that makes the change. */
import type { AuditEventSchema } from '../wire/audit-event.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * Kinds whose name does not say what happened:
 * - `grant.repeated`:  a requester has asked again for a request that waits
 * - `grant.refused`:   the server has refused a change of the grant, such as an approval
 * - `key.asked`:       a host has to make a new key
 * - `running.watched`: a person has looked at the screen of a session
 * - `record.cut`:      retention has removed rows
 */
export type AuditKind =
  | 'grant.requested'
  | 'grant.repeated'
  | 'grant.approved'
  | 'grant.part_approved'
  | 'grant.denied'
  | 'grant.withdrawn'
  | 'grant.used'
  | 'grant.revoked'
  | 'plan.finished'
  | 'grant.refused'
  | 'policy.created'
  | 'policy.ended'
  | 'policy.used'
  | 'policy.vetoed'
  | 'approvers.changed'
  | 'enrolment.requested'
  | 'enrolment.revealed'
  | 'enrolment.approved'
  | 'enrolment.denied'
  | 'requester.paused'
  | 'requester.resumed'
  | 'subject.enrolled'
  | 'subject.revoked'
  | 'key.asked'
  | 'key.replaced'
  | 'passkey.registered'
  | 'passkey.renamed'
  | 'passkey.removed'
  | 'passkey.copied'
  | 'passkey.confirmed'
  | 'recovery.made'
  | 'person.invited'
  | 'break_glass.made'
  | 'break_glass.removed'
  | 'break_glass.opened'
  | 'break_glass.ended'
  | 'setting.changed'
  | 'owner.linked'
  | 'owner.signed_in'
  | 'owner.signed_out'
  | 'token.issued'
  | 'line.finished'
  | 'line.refused'
  | 'session.opened'
  | 'session.closed'
  | 'session.message'
  | 'running.ordered'
  | 'running.answered'
  | 'running.watched'
  | 'server.restored'
  | 'record.cut'
  | 'notification.channel_added'
  | 'notification.channel_removed'
  | 'notification.preferences';

/** The facts of one event. Facts contain no secret of the server. Facts contain only the beginning of a long command (`cutText`). */
export type AuditFacts = StoredAuditEvent['facts'];

/**
 * @property atMs     Unix ms, by the server's clock
 * @property actorId  the id of the requester, person, key or break-glass code that acted; null: the server itself acted, the command line
 *                    on the server's machine acted, or the actor is not known
 * @property grantId  the grant that the event is about; null: the event is not about a grant
 * @property enrolmentId the enrolment that the event is about; null: the event is not about an enrolment
 * @property seq      1, 2, 3, … in the order of the commits; a gap means that retention removed events
 * @property prevHash always null, like `hash`: the events are not chained yet
 */
export interface StoredAuditEvent extends Omit<Shape<typeof AuditEventSchema>, 'kind'> {
  readonly kind: AuditKind;
}

/** An event before the database has numbered it. */
export type AuditEvent = Omit<StoredAuditEvent, 'seq' | 'prevHash' | 'hash'>;

/** An event about a grant. */
export function grantEvent(
  kind: AuditKind,
  grant: { readonly id: string },
  actorId: string | null,
  atMs: number,
  facts: AuditFacts = {},
): AuditEvent {
  return { kind, atMs, actorId, grantId: grant.id, enrolmentId: null, facts };
}

/** An event that is about neither a grant nor an enrolment. */
export function plainEvent(kind: AuditKind, actorId: string | null, atMs: number, facts: AuditFacts = {}): AuditEvent {
  return { kind, atMs, actorId, grantId: null, enrolmentId: null, facts };
}
