/** Prepared queries for the most frequent work: requests that are covered or filed. */
import { type Kysely, sql } from 'kysely';
import type { EventColumns, UnnumberedEventRow } from './event-rows.ts';
import { changingColumnNames, type GrantRow, grantColumnNames } from './grant-rows.ts';
import type { MatchRow } from './match-rows.ts';
import { prepare } from './prepared-query.ts';
import { STATE_OF_ROW } from './row-conditions.ts';
import { STANDING_CHANGE } from './sql-migrations.ts';
import type { Tables } from './sql-tables.ts';

/** Finds the subject of a token. Finds nothing if the token has expired or the subject is revoked. */
export const tokenHolderQuery = prepare((db, of: { readonly hash: string; readonly nowMs: number }) =>
  db
    .selectFrom('tokens')
    .innerJoin('subjects', 'subjects.id', 'tokens.subject_id')
    .selectAll('subjects')
    .select(['tokens.hash', 'tokens.expires_at_ms'])
    .where('tokens.hash', '=', of.hash)
    .where('tokens.expires_at_ms', '>', of.nowMs)
    .where('subjects.revoked_at_ms', 'is', null),
);

interface SameRequest {
  readonly requesterId: string;
  readonly fingerprint: string;
  readonly state: 'pending' | 'approved';
  readonly nowMs: number;
}

const sameRequest = (db: Kysely<Tables>, { requesterId, fingerprint, state, nowMs }: SameRequest) =>
  db
    .selectFrom('grants')
    .selectAll()
    .where('requester_id', '=', requesterId)
    .where('fingerprint', '=', fingerprint)
    .where(sql<string>`${sql.raw(STATE_OF_ROW)}`, '=', state)
    .where((is) => is.or([is('lapses_at_ms', 'is', null), is('lapses_at_ms', '>', nowMs)]));

/** Finds the grants of a requester for the same request, in no fixed order. Leaves out grants that have lapsed. */
export const sameRequestQuery = prepare(sameRequest);

/**
 * Finds at most two grants of a requester that were approved with the given deciding variables. Two grants are enough: the caller ignores
 * at most one grant. `digest` is the digest of the names and values of these variables.
 *
 * The comparisons `>=` and `<=`, together with an order, make PostgreSQL use the index. With `=` and a limit, PostgreSQL would expect a
 * match among the first rows, and would read the table from its beginning. The first rows never match: they are older than this column, and
 * have null in it.
 */
export const approvedDecidingQuery = prepare((db, of: { readonly requesterId: string; readonly digest: string }) =>
  db
    .selectFrom('grants')
    .select('id')
    .where('requester_id', '=', of.requesterId)
    .where('approved_deciding', '>=', of.digest)
    .where('approved_deciding', '<=', of.digest)
    .where('state', 'in', ['approved', 'used'])
    .orderBy('approved_deciding')
    .limit(2),
);

/** Counts the pending, unexpired requests of a requester, and adds up their bytes. */
export const pendingOfQuery = prepare((db, of: { readonly requesterId: string; readonly nowMs: number }) =>
  db
    .selectFrom('grants')
    .select((is) => is.fn.countAll<number>().as('count'))
    .select(sql<number>`cast(coalesce(sum(octet_length(request)), 0) as bigint)`.as('bytes'))
    .where('requester_id', '=', of.requesterId)
    .where('state', '=', 'pending')
    .where('lapses_at_ms', '>', of.nowMs),
);

export const insertGrantQuery = prepare((db, of: GrantRow) =>
  db.insertInto('grants').values(valuesOf(grantColumnNames, of) satisfies GrantRow),
);

export const insertHostFactsQuery = prepare((db, of: Tables['grant_findings']) =>
  db.insertInto('grant_findings').values({ grant_id: of.grant_id, findings: of.findings }),
);

export const insertMatchQuery = prepare((db, of: MatchRow) =>
  db
    .insertInto('grant_matches')
    .values({ grant_id: of.grant_id, number: of.number, decoys: of.decoys, wrong: of.wrong }),
);

/** Copies the members `names` one by one, because `of` can be a proxy whose members cannot be listed. */
const valuesOf = <Row, Name extends keyof Row>(names: readonly Name[], of: Pick<Row, Name>): Pick<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Row, Name>;

/** Writes the columns that a change of state can change, if the stored version is `before`. */
export const replaceGrantQuery = prepare(
  (db, of: Pick<GrantRow, (typeof changingColumnNames)[number]> & { readonly id: string; readonly before: number }) =>
    db
      .updateTable('grants')
      .set(valuesOf(changingColumnNames, of))
      .where('id', '=', of.id)
      .where('version', '=', of.before),
);

/** Writes uses of a standing grant, if the stored version is `before`. The grant's state does not change. */
export const countUsesQuery = prepare(
  (db, of: Pick<GrantRow, 'id' | 'version' | 'uses' | 'used_at_ms'> & { readonly before: number }) =>
    db
      .updateTable('grants')
      .set({ version: of.version, uses: of.uses, used_at_ms: of.used_at_ms })
      .where('id', '=', of.id)
      .where('version', '=', of.before),
);

/** Reserves sequence numbers for `count` events, and returns the last of these numbers. */
export const advanceHeadQuery = prepare((db, of: { readonly count: number }) =>
  db
    .updateTable('event_head')
    .set({ seq: sql<number>`seq + ${of.count}` })
    .where('id', '=', 1)
    .returning('seq'),
);

/** Copies the columns one by one, because `of` can be a proxy whose members cannot be listed. */
const columnsOfEvent = (of: EventColumns) => ({
  at_ms: of.at_ms,
  kind: of.kind,
  actor_id: of.actor_id,
  grant_id: of.grant_id,
  enrolment_id: of.enrolment_id,
  facts: of.facts,
});

export const insertEventQuery = prepare((db, of: EventColumns & { readonly seq: number }) =>
  db.insertInto('events').values({ seq: of.seq, ...columnsOfEvent(of) }),
);

export const insertUnnumberedQuery = prepare((db, of: UnnumberedEventRow) =>
  db.insertInto('unnumbered_events').values({ id: of.id, ...columnsOfEvent(of) }),
);

export const anyUnnumberedQuery = prepare((db, _of: object) =>
  db.selectFrom('unnumbered_events').select('id').limit(1),
);

/**
 * Reads the events of the kinds that can change standing grants or policies. The query is fast, because its index contains only these few
 * events.
 */
export const standingChangesQuery = prepare((db, of: { readonly afterSeq: number }) =>
  db
    .selectFrom('events')
    .selectAll()
    .where(sql<boolean>`${sql.raw(STANDING_CHANGE)}`)
    .where('seq', '>', of.afterSeq)
    .orderBy('seq'),
);

/** Finds the event with the number and the time of a mark (`EventMark`). */
export const markedEventQuery = prepare((db, of: { readonly seq: number; readonly atMs: number }) =>
  db.selectFrom('events').select('seq').where('seq', '=', of.seq).where('at_ms', '=', of.atMs),
);

export const pauseQuery = prepare((db, of: { readonly requesterId: string }) =>
  db.selectFrom('requester_pauses').selectAll().where('requester_id', '=', of.requesterId),
);

/** Reads the sequence number of the newest list of approvers; a permit for a sealed decision contains this number. */
export const approversSequenceQuery = prepare((db, _of: object) =>
  db.selectFrom('approver_lists').select('sequence').orderBy('sequence', 'desc').limit(1),
);

export const lastApproversQuery = prepare((db, _of: object) =>
  db.selectFrom('approver_lists').select('list').orderBy('sequence', 'desc').limit(1),
);
