/**
 * Uses standing grants on PostgreSQL in two statements, or in one statement if this process remembers the grants. Each statement costs a
 * round trip, and wakes a process of PostgreSQL. Each statement is a separate transaction, so nothing is locked while this process decides.
 */
import type { AuditEvent } from '../core/grant/audit-event.ts';
import type { Grant } from '../core/grant/grant.ts';
import { unnumberedRow } from './event-rows.ts';
import { type GrantRow, grantOf } from './grant-rows.ts';
import type { Execute } from './prepared-query.ts';
import { type ReadWith, RememberedGrants } from './remembered-grants.ts';
import { STATE_OF_ROW } from './row-conditions.ts';
import { STANDING_CHANGE } from './sql-migrations.ts';
import type { DecideUses, StandingFacts, StandingQuestion, UsedGrant, UseStanding } from './standing-uses.ts';

/*
 * Rows are passed as JSON. For an array parameter, PostgreSQL would make a new plan for each length of the array. For JSON of any length,
 * PostgreSQL keeps one plan. PostgreSQL always expects 100 rows from the JSON. With old statistics, PostgreSQL also expects few approved
 * grants. It would then read all approved grants, even a million, instead of 100 grants by key. So each grant is read in a lateral
 * subquery that PostgreSQL cannot merge into the statement (`offset 0`, `for no key update`). The subquery runs once for each row of the
 * JSON.
 */

/**
 * Returns SQL that is true if rules or scopes have possibly changed after the event with this number and time. The SQL is also true if this
 * event is not stored: nothing is then known about changes. For the number 0, the SQL is true if there was at least one change.
 */
const changesAfter = (seq: string, atMs: string): string =>
  `(exists (select from events where ${STANDING_CHANGE} and seq > ${seq})
      or ${seq} > 0 and not exists (select from events where seq = ${seq} and at_ms = ${atMs}))`;

/** The sequence number of the newest list of approvers; 0: there is no list. */
const NEWEST_LIST = 'coalesce((select max(sequence) from approver_lists), 0)';

/** Returns at least one row for each request. `has_changes` and `approvers_sequence` are the same in all rows. */
const LOOK = `select ${changesAfter('$2::bigint', '$3::bigint')} as has_changes, ${NEWEST_LIST} as approvers_sequence,
    coalesce(requester_pauses.requester_id, revoked.id) as stopped_id, found.*
  from json_to_recordset($1) as asked (requester_id text, fingerprint text)
    left join requester_pauses on requester_pauses.requester_id = asked.requester_id
    left join subjects as revoked on revoked.id = asked.requester_id and revoked.revoked_at_ms is not null
    left join lateral (
      select * from grants where grants.requester_id = asked.requester_id and grants.fingerprint = asked.fingerprint
        and ${STATE_OF_ROW} = 'approved' and (grants.lapses_at_ms is null or grants.lapses_at_ms > $4) offset 0) as found on true`;

/**
 * Returns the statement that counts uses. A use adds 1 to the version and to the number of uses of the grant. Every other change adds 1 to
 * the version only. So a use does not change the difference of version and uses. The statement compares only this difference with the
 * difference that this process has read. So several servers can use a grant at the same time. The statement also records the event of each
 * counted use. The event contains the number of the use. The statement counts:
 * - no use of a grant if something other than a use has changed this grant since this process read the grant
 * - no use of a paused or revoked requester
 * - no use at all if rules or scopes have changed, or if the list of approvers is newer than at the decision
 *
 * PostgreSQL first locks the grants, and then checks them. PostgreSQL checks everything else in the state at the start of the statement.
 * @param together SQL; if the SQL is false, no use is counted
 * @param locked   SQL for a grant that another transaction has locked: skip the grant, or (`''`) wait for the lock
 * @param inTime   SQL that is true for a grant that was locked early enough
 */
const counting = (together: string, locked: 'skip locked' | '', inTime: string): string => `with held as (
    select locked.id, locked.version, locked.uses, used.added, used.used_at_ms
    from (select * from json_to_recordset($1) as used (id text, other_changes bigint, added bigint, used_at_ms bigint) order by id) as used
      join lateral (
        select id, version, uses, requester_id, state from grants where grants.id = used.id for no key update ${locked}) as locked on true
    where locked.version - locked.uses = used.other_changes and ${STATE_OF_ROW} = 'approved'
      and not exists (select from requester_pauses where requester_pauses.requester_id = locked.requester_id)
      and not exists (select from subjects where subjects.id = locked.requester_id and subjects.revoked_at_ms is not null)
      and not ${changesAfter('$3::bigint', '$4::bigint')} and ${NEWEST_LIST} = $5 and ${inTime}),
  counted as (
    update grants set version = held.version + held.added, uses = held.uses + held.added,
      used_at_ms = greatest(grants.used_at_ms, held.used_at_ms)
    from held where grants.id = held.id and ${together}
    returning grants.id, grants.version, grants.uses, grants.used_at_ms),
  recorded as (
    insert into unnumbered_events (id, at_ms, kind, actor_id, grant_id, enrolment_id, facts)
    select event.id, at_ms, kind, actor_id, grant_id, enrolment_id,
      '{"uses":' || held.uses + nth || case facts when '{}' then '' else ',' end || substr(facts, 2)
    from json_to_recordset($2) as event (id text, nth bigint, at_ms bigint, kind text, actor_id text, grant_id text,
        enrolment_id text, facts text)
      join held on held.id = grant_id
    where grant_id in (select id from counted))
  select id, version, uses, used_at_ms from counted`;

/**
 * Counts uses after `LOOK`. Skips a grant that another transaction has locked. Also skips a grant that something other than a use has
 * changed since `LOOK`.
 */
const COUNT = counting('true', 'skip locked', 'true');

/**
 * Counts uses without `LOOK`: all uses or no use. The statement waits for locked grants. Most of these locks belong to the same statement
 * of another server. All locks are taken in one order, so two servers do not end in a deadlock. After a wait of more than 200 ms, the
 * statement counts nothing: it does not see a pause or a rule that was committed during the wait.
 */
const COUNT_REMEMBERED = counting(
  '(select count(*) from held) = $6',
  '',
  `clock_timestamp() < statement_timestamp() + interval '200 ms'`,
);

/** @param remembered the grants that this process remembers from call to call */
export function newStandingUses(remembered = new RememberedGrants()): UseStanding {
  return async (execute, question, decide) => {
    const { requests, after } = question;
    const known = remembered.of(requests, after);
    const { approversSequence } = remembered;
    const readWith = { after, approversSequence };
    const quick = known === null ? null : await useRemembered(execute, readWith, decide, known);
    const done = quick ?? (await useInTwoStatements(execute, question, decide, remembered));
    for (const { grant } of done.used) {
      const stored = done.counted.get(grant.id);
      if (stored !== undefined) remembered.used({ ...grant, ...stored });
    }
    return { value: done.value, counted: new Set(done.counted.keys()) };
  };
}

/** The stored values of each grant after the uses, by the id of the grant. Grants whose uses were not counted are absent. */
type Counted = ReadonlyMap<string, Pick<Grant, 'version' | 'uses' | 'usedAtMs'>>;

interface Done<T> {
  readonly value: T;
  readonly used: readonly UsedGrant[];
  readonly counted: Counted;
}

/**
 * Uses remembered grants. Counts nothing and returns null in four cases: the remembered grants are out of date, no remembered grant would
 * be used, a requester is paused or revoked, or the statement waited too long for a lock.
 */
async function useRemembered<T>(
  execute: Execute,
  readWith: ReadWith,
  decide: DecideUses<T>,
  grants: readonly Grant[],
): Promise<Done<T> | null> {
  const { approversSequence } = readWith;
  const { used, value } = decide({ hasChanges: false, stopped: new Set(), grants, approversSequence });
  if (used.length === 0) return null;
  const counted = await count(execute, COUNT_REMEMBERED, used, readWith, [used.length]);
  return counted.size === 0 ? null : { used, value, counted };
}

async function useInTwoStatements<T>(
  execute: Execute,
  question: StandingQuestion,
  decide: DecideUses<T>,
  remembered: RememberedGrants,
): Promise<Done<T>> {
  const { requests, after } = question;
  remembered.forget(requests);
  const facts = await look(execute, question);
  const readWith = { after, approversSequence: facts.approversSequence };
  const { used, value } = decide(facts);
  const counted: Counted = used.length === 0 ? new Map() : await count(execute, COUNT, used, readWith, []);
  // This process remembers the grants only if they are still right. A use that was not counted shows that the grant is locked, or that
  // something has changed. If `hasChanges`, the grants possibly contain changes that are later than the mark `after`. So this mark does
  // not fit the grants.
  if (!facts.hasChanges && counted.size === used.length)
    remembered.read(
      requests,
      facts.grants.filter(({ requesterId }) => !facts.stopped.has(requesterId)),
      readWith,
    );
  return { used, value, counted };
}

type LookRow = {
  readonly has_changes: boolean;
  readonly approvers_sequence: number;
  readonly stopped_id: string | null;
} & (GrantRow | { readonly id: null });

async function look(execute: Execute, { requests, after, nowMs }: StandingQuestion): Promise<StandingFacts> {
  const asked = requests.map(({ requesterId, fingerprint }) => ({ requester_id: requesterId, fingerprint }));
  const rows = (await execute(LOOK, [JSON.stringify(asked), after.seq, after.atMs, nowMs])).rows as readonly LookRow[];
  const [first] = rows;
  if (first === undefined) throw new Error('nothing was asked');
  return {
    hasChanges: first.has_changes,
    stopped: new Set(rows.flatMap(({ stopped_id }) => stopped_id ?? [])),
    grants: rows.flatMap((row) => (row.id === null ? [] : grantOf(row))),
    approversSequence: first.approvers_sequence,
  };
}

async function count(
  execute: Execute,
  statement: string,
  used: readonly UsedGrant[],
  { after, approversSequence }: ReadWith,
  more: readonly number[],
): Promise<Counted> {
  const counts = used.map(({ grant: { id, version, uses, usedAtMs }, uses: added }) => ({
    id,
    other_changes: version - uses,
    added,
    used_at_ms: usedAtMs,
  }));
  const events = used
    .flatMap((each) => each.events.map((event, index) => ({ event, nth: index + 1 })))
    .map(({ event, nth }, place) => ({ ...unnumberedRow(withoutNumber(event), place), nth }));
  const { rows } = await execute(statement, [
    JSON.stringify(counts),
    JSON.stringify(events),
    after.seq,
    after.atMs,
    approversSequence,
    ...more,
  ]);
  return new Map(
    (rows as readonly CountedRow[]).map(({ id, version, uses, used_at_ms }) => [
      id,
      { version, uses, usedAtMs: used_at_ms },
    ]),
  );
}

type CountedRow = Pick<GrantRow, 'id' | 'version' | 'uses' | 'used_at_ms'>;

/** Returns the event of a use without the number of the use. The statement adds the right number when it counts the use. */
function withoutNumber(event: AuditEvent): AuditEvent {
  const { uses: _, ...facts } = event.facts;
  return { ...event, facts };
}
