/**
 * Uses standing grants on PostgreSQL in only two statements, because each statement costs a round trip and wakes another process.
 * Each of the two is a transaction of its own, so nothing is locked while this process decides.
 */
import type { Execute } from './prepared-query.ts';
import { STANDING_CHANGE } from './sql-migrations.ts';
import { type GrantRow, grantOf, unnumberedRow } from './sql-tables.ts';
import type { CountedUses, DecideUses, StandingFacts, StandingQuestion, UsedGrant } from './standing-uses.ts';

/*
 * Rows are passed as JSON. PostgreSQL knows the length of an array parameter and makes a plan for each length; it keeps one plan for
 * JSON of any length.
 */

/** Gives at least one row for each request, so that there is a first row: it has the values that are the same in all rows. */
const LOOK = `select exists (select from events where ${STANDING_CHANGE} and seq > $2) as has_changes,
    coalesce((select max(sequence) from approver_lists), 0) as approvers_sequence,
    requester_pauses.requester_id as paused_id, grants.*
  from json_to_recordset($1) as asked (requester_id text, fingerprint text)
    left join requester_pauses on requester_pauses.requester_id = asked.requester_id
    left join grants on grants.requester_id = asked.requester_id and grants.fingerprint = asked.fingerprint
      and grants.state = 'approved' and (grants.lapses_at_ms is null or grants.lapses_at_ms > $3)`;

/** Counts the uses, without waiting for a grant that another transaction has locked. Records an event only if the uses of its grant are counted. */
const COUNT = `with held as (
    select grants.id, used.version, used.uses, used.used_at_ms
    from json_to_recordset($1) as used (id text, before bigint, version bigint, uses bigint, used_at_ms bigint)
      join grants on grants.id = used.id and grants.version = used.before
    for no key update of grants skip locked),
  counted as (
    update grants set version = held.version, uses = held.uses, used_at_ms = held.used_at_ms
    from held where grants.id = held.id returning grants.id),
  recorded as (
    insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
    select id, at_ms, kind, actor_id, grant_id, enrolment_id, facts
    from json_to_recordset($2) as event (id text, at_ms bigint, kind text, actor_id text, grant_id text, enrolment_id text, facts text)
    where grant_id in (select id from counted))
  select id from counted`;

/** @param execute runs a statement outside of a transaction */
export async function useInTwoStatements<T>(
  execute: Execute,
  question: StandingQuestion,
  decide: DecideUses<T>,
): Promise<CountedUses<T>> {
  const { used, value } = decide(await look(execute, question));
  return { value, counted: used.length === 0 ? new Set() : await count(execute, used) };
}

type LookRow = {
  readonly has_changes: boolean;
  readonly approvers_sequence: number;
  readonly paused_id: string | null;
} & (GrantRow | { readonly id: null });

async function look(execute: Execute, { requests, afterSeq, nowMs }: StandingQuestion): Promise<StandingFacts> {
  const asked = requests.map(({ requesterId, fingerprint }) => ({ requester_id: requesterId, fingerprint }));
  const rows = (await execute(LOOK, [JSON.stringify(asked), afterSeq, nowMs])).rows as readonly LookRow[];
  const [first] = rows;
  if (first === undefined) throw new Error('nothing was asked');
  return {
    hasChanges: first.has_changes,
    paused: new Set(rows.flatMap(({ paused_id }) => paused_id ?? [])),
    grants: rows.flatMap((row) => (row.id === null ? [] : grantOf(row))),
    approversSequence: first.approvers_sequence,
  };
}

async function count(execute: Execute, used: readonly UsedGrant[]): Promise<ReadonlySet<string>> {
  const counts = used.map(({ grant: { id, version, uses, usedAtMs }, uses: more }) => ({
    id,
    before: version - more,
    version,
    uses,
    used_at_ms: usedAtMs,
  }));
  const events = used.flatMap((each) => each.events).map(unnumberedRow);
  const { rows } = await execute(COUNT, [JSON.stringify(counts), JSON.stringify(events)]);
  return new Set((rows as readonly { readonly id: string }[]).map(({ id }) => id));
}
