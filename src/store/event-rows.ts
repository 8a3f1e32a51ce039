/** The rows of events, and the queries for events that have a number. `StoreReader` says what each query returns. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AuditEvent, AuditFacts, AuditKind, StoredAuditEvent } from '../core/grant/audit-event.ts';
import { KIND_OF_ROW } from './row-conditions.ts';
import type { Tables } from './sql-tables.ts';
import { type EventMark, FIRST_MARK } from './store.ts';

/** @property prev_hash always null, like `hash`: the events are not chained yet */
export interface EventRow {
  seq: number;
  at_ms: number;
  kind: AuditKind;
  actor_id: string | null;
  grant_id: string | null;
  enrolment_id: string | null;
  facts: string;
  prev_hash: string | null;
  hash: string | null;
}

/** The columns that an event has before it gets its number. */
export type EventColumns = Omit<EventRow, 'seq' | 'prev_hash' | 'hash'>;

/** A committed event that has no number yet. `id` begins with the time of the event. Events get numbers in the order of `id`. */
export interface UnnumberedEventRow extends EventColumns {
  id: string;
}

export const eventOf = (row: EventRow): StoredAuditEvent => ({
  seq: row.seq,
  atMs: row.at_ms,
  kind: row.kind,
  actorId: row.actor_id,
  grantId: row.grant_id,
  enrolmentId: row.enrolment_id,
  facts: JSON.parse(row.facts) as AuditFacts,
  prevHash: row.prev_hash,
  hash: row.hash,
});

/** @param place the index of the event in its transaction; below 1,000 */
export const unnumberedRow = (event: AuditEvent, place: number): UnnumberedEventRow => ({
  id: `${String(event.atMs).padStart(15, '0')}-${String(place).padStart(3, '0')}-${randomUUID()}`,
  ...eventColumns(event),
});

export const eventColumns = (event: AuditEvent): EventColumns => ({
  at_ms: event.atMs,
  kind: event.kind,
  actor_id: event.actorId,
  grant_id: event.grantId,
  enrolment_id: event.enrolmentId,
  facts: JSON.stringify(event.facts),
});

export async function readEvents(db: Kysely<Tables>, afterSeq: number, limit: number) {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(eventOf);
}

/**
 * Selects the events of a grant. Order the query by `grant_id` and `seq`, so that PostgreSQL uses the index on these two columns.
 * The condition has `>=` and `<=` in place of `=`: if one grant has most of the events, PostgreSQL expects many events of every grant.
 * With `=` and a limit, PostgreSQL would then read all events in the order of `seq`.
 */
const ofGrant = (id: RawBuilder<unknown>) => sql<boolean>`grant_id >= ${id} and grant_id <= ${id}`;

export async function readEventsOf(db: Kysely<Tables>, grantId: string, kind: AuditEvent['kind'], limit: number) {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where(ofGrant(sql`${grantId}`))
    .where(sql<string>`${sql.raw(KIND_OF_ROW)}`, '=', kind)
    .orderBy('grant_id', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(eventOf);
}

export async function readRepeats(db: Kysely<Tables>, grantIds: readonly string[], most: number) {
  if (grantIds.length === 0) return new Map<string, number>();
  const { rows } = await sql<{ readonly id: string; readonly times: number }>`select id, (select count(*) from (
      select 1 as one from events where ${ofGrant(sql`grants.id`)} and ${sql.raw(KIND_OF_ROW)} = 'grant.repeated'
      order by grant_id, seq limit ${most}) as repeated) as times
    from grants where id in (${sql.join(grantIds)})`.execute(db);
  return new Map(rows.filter(({ times }) => times > 0).map(({ id, times }) => [id, times]));
}

export async function readLastSeq(db: Kysely<Tables>) {
  const row = await db.selectFrom('event_head').select('seq').where('id', '=', 1).executeTakeFirst();
  return row?.seq ?? 0;
}

export async function readLastMark(db: Kysely<Tables>): Promise<EventMark> {
  const last = await db
    .selectFrom('events')
    .select(['seq', 'at_ms'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? FIRST_MARK : { seq: last.seq, atMs: last.at_ms };
}
