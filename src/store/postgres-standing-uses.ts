/**
 * Uses standing grants on PostgreSQL in two statements, or in one if the grants are remembered, because each statement costs a round trip
 * and wakes another process. Each statement is a separate transaction, so nothing is locked while this process decides.
 */
import type { Grant } from '../core/grant/grant.ts';
import type { Execute } from './prepared-query.ts';
import { type ReadWith, RememberedGrants } from './remembered-grants.ts';
import { STANDING_CHANGE } from './sql-migrations.ts';
import { type GrantRow, grantOf, unnumberedRow } from './sql-tables.ts';
import type {
  CountedUses,
  DecideUses,
  StandingFacts,
  StandingQuestion,
  UsedGrant,
  UseStanding,
} from './standing-uses.ts';

/*
 * Rows are passed as JSON. For an array parameter, PostgreSQL would make a new plan for each length of the array; for JSON of any length
 * it keeps one plan.
 */

/** Returns at least one row for each request. `has_changes` and `approvers_sequence` are the same in all rows. */
const LOOK = `select exists (select from events where ${STANDING_CHANGE} and seq > $2) as has_changes,
    coalesce((select max(sequence) from approver_lists), 0) as approvers_sequence,
    requester_pauses.requester_id as paused_id, grants.*
  from json_to_recordset($1) as asked (requester_id text, fingerprint text)
    left join requester_pauses on requester_pauses.requester_id = asked.requester_id
    left join grants on grants.requester_id = asked.requester_id and grants.fingerprint = asked.fingerprint
      and grants.state = 'approved' and (grants.lapses_at_ms is null or grants.lapses_at_ms > $3)`;

/**
 * Returns the statement that counts the uses, without waiting for a grant that another transaction has locked. The statement records an
 * event only if the uses of its grant are counted.
 * @param condition SQL that has to be true of each grant whose uses are counted
 * @param together  SQL that has to be true, or no uses are counted at all
 */
const counting = (condition: string, together: string): string => `with held as (
    select grants.id, used.version, used.uses, used.used_at_ms
    from json_to_recordset($1) as used (id text, before bigint, version bigint, uses bigint, used_at_ms bigint)
      join grants on grants.id = used.id and grants.version = used.before
    where ${condition}
    for no key update of grants skip locked),
  counted as (
    update grants set version = held.version, uses = held.uses, used_at_ms = held.used_at_ms
    from held where grants.id = held.id and ${together} returning grants.id),
  recorded as (
    insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
    select id, at_ms, kind, actor_id, grant_id, enrolment_id, facts
    from json_to_recordset($2) as event (id text, at_ms bigint, kind text, actor_id text, grant_id text, enrolment_id text, facts text)
    where grant_id in (select id from counted))
  select id from counted`;

/** Counts uses after `LOOK`, which has read everything else on which they depend. */
const COUNT = counting('true', 'true');

/** Counts uses without `LOOK`, but only if each grant is still as it is remembered, and `LOOK` would find no pause and no change. */
const COUNT_REMEMBERED = counting(
  `not exists (select from requester_pauses where requester_pauses.requester_id = grants.requester_id)
      and not exists (select from events where ${STANDING_CHANGE} and seq > $3)
      and coalesce((select max(sequence) from approver_lists), 0) = $4`,
  '(select count(*) from held) = $5',
);

export function newStandingUses(remembered = new RememberedGrants()): UseStanding {
  return async (execute, question, decide) => {
    const { requests, afterSeq } = question;
    const known = remembered.of(requests, afterSeq);
    const { approversSequence } = remembered;
    const readWith = { afterSeq, approversSequence };
    const quick = known === null ? null : await useRemembered(execute, readWith, decide, known);
    const done = quick ?? (await useInTwoStatements(execute, question, decide, remembered));
    for (const { grant } of done.used) if (done.counted.has(grant.id)) remembered.used(grant);
    return { value: done.value, counted: done.counted };
  };
}

interface Done<T> extends CountedUses<T> {
  readonly used: readonly UsedGrant[];
}

/** Uses remembered grants. Returns null, and counts nothing, if they are out of date or none of them would be used. */
async function useRemembered<T>(
  execute: Execute,
  { afterSeq, approversSequence }: ReadWith,
  decide: DecideUses<T>,
  grants: readonly Grant[],
): Promise<Done<T> | null> {
  const { used, value } = decide({ hasChanges: false, paused: new Set(), grants, approversSequence });
  if (used.length === 0) return null;
  const counted = await count(execute, COUNT_REMEMBERED, used, [afterSeq, approversSequence, used.length]);
  return counted.size === 0 ? null : { used, value, counted };
}

async function useInTwoStatements<T>(
  execute: Execute,
  question: StandingQuestion,
  decide: DecideUses<T>,
  remembered: RememberedGrants,
): Promise<Done<T>> {
  const { requests, afterSeq } = question;
  remembered.forget(requests);
  const facts = await look(execute, question);
  const { used, value } = decide(facts);
  const counted = used.length === 0 ? new Set<string>() : await count(execute, COUNT, used, []);
  // A grant that was not counted was changed by another call. After `hasChanges`, the grants that were read may not be all.
  if (!facts.hasChanges && counted.size === used.length)
    remembered.read(requests, facts.grants, { afterSeq, approversSequence: facts.approversSequence });
  return { used, value, counted };
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

async function count(
  execute: Execute,
  statement: string,
  used: readonly UsedGrant[],
  more: readonly number[],
): Promise<ReadonlySet<string>> {
  const counts = used.map(({ grant: { id, version, uses, usedAtMs }, uses: more }) => ({
    id,
    before: version - more,
    version,
    uses,
    used_at_ms: usedAtMs,
  }));
  const events = used.flatMap((each) => each.events).map(unnumberedRow);
  const { rows } = await execute(statement, [JSON.stringify(counts), JSON.stringify(events), ...more]);
  return new Set((rows as readonly { readonly id: string }[]).map(({ id }) => id));
}
