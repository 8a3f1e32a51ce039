/**
 * Reads or writes the rows of many calls with one statement of PostgreSQL. The rows are passed as one array for each column, or as one
 * JSON text. So the text of the statement is the same for any number of rows.
 */
import { MAX_NUMBERED, type SharedRowsOn, type TokenHolderRow } from './shared-rows.ts';

const TOKEN_HOLDERS = `select subjects.*, tokens.hash, tokens.expires_at_ms
  from tokens join subjects on subjects.id = tokens.subject_id
  where tokens.hash = any($1::text[]) and tokens.expires_at_ms > $2 and subjects.revoked_at_ms is null`;

const INSERT_UNNUMBERED = `insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;

/** Locks the head row. Without this lock, two servers could delete the same waiting events in different orders, and deadlock. */
const HOLD_HEAD = 'select seq from event_head where id = 1 for update';

/**
 * Gives numbers to waiting events (`others`), and then to the caller's own events (`own`). If `MAX_NUMBERED` or more events waited, writes
 * none of the caller's own events. `HOLD_HEAD` is an earlier, separate statement, so that `APPEND` also sees the events that other
 * transactions commit while `HOLD_HEAD` waits for the lock.
 */
const APPEND = `with moved as (
    delete from unnumbered_events where id in (select id from unnumbered_events order by id limit ${MAX_NUMBERED}) returning *),
  counted as (
    select count(*) as others, case when count(*) < ${MAX_NUMBERED} then $2::bigint else 0 end as own from moved),
  head as (
    update event_head set seq = seq + others + own from counted where id = 1 returning seq, others, own),
  numbered as (
    insert into events (seq, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
    select head.seq - own - others + row_number() over (order by moved.id),
      at_ms, kind, actor_id, grant_id, enrolment_id, facts from moved, head),
  appended as (
    insert into events (seq, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
    select head.seq - own + place, at_ms, kind, actor_id, grant_id, enrolment_id, facts
    from json_to_recordset($1) as event
      (place bigint, at_ms bigint, kind text, actor_id text, grant_id text, enrolment_id text, facts text), head
    where own > 0)
  select seq, others from head`;

export const allAtOnce: SharedRowsOn = (_prepared, execute) => {
  const rows = async <Row>(text: string, values: readonly unknown[]) =>
    (await execute(text, values)).rows as readonly Row[];
  const columns = <Row extends object>(all: readonly Row[], ...names: readonly (keyof Row)[]) =>
    names.map((name) => all.map((row) => row[name]));
  return {
    tokenHolders: (hashes, nowMs) => rows<TokenHolderRow>(TOKEN_HOLDERS, [hashes, nowMs]),
    async insertUnnumbered(events) {
      const names = ['id', 'at_ms', 'kind', 'actor_id', 'grant_id', 'enrolment_id', 'facts'] as const;
      await execute(INSERT_UNNUMBERED, columns(events, ...names));
    },
    async appendEvents(events) {
      await execute(HOLD_HEAD, []);
      const placed = events.map((event, at) => ({ place: at + 1, ...event }));
      const [head] = await rows<{ seq: number; others: number }>(APPEND, [JSON.stringify(placed), events.length]);
      if (head === undefined) throw new Error('the table event_head is empty');
      return { lastSeq: head.seq, numbered: head.others };
    },
  };
};
