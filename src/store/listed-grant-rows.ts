/** Reads grants for lists. Long requests are shortened. */
import { type Kysely, sql } from 'kysely';
import { filteredGrants } from './grant-filter.ts';
import { grantColumnNames, grantOf } from './grant-rows.ts';
import { type ListedGrant, listedGrant, MAX_LISTED_REQUEST_BYTES } from './listed-request.ts';
import { ENDLESS_APPROVAL } from './sql-migrations.ts';
import type { Tables } from './sql-tables.ts';
import type { GrantFilter } from './store.ts';

/**
 * The column `created_at_ms`, as an expression without an index. With the plain column, SQLite would read all approvals in the order of
 * creation. With the expression, SQLite finds timed approvals by their end.
 */
const UNINDEXED_TIME = sql<number>`(created_at_ms + 0)`;

type ListedColumn = Exclude<(typeof grantColumnNames)[number], 'request' | 'touches'>;

/** All columns except the two that can be long: the request and its impact preview. */
const LISTED_COLUMNS = grantColumnNames.filter(
  (name): name is ListedColumn => name !== 'request' && name !== 'touches',
);

/**
 * Makes the query for standing grants, the newest first; the caller selects `id`. Combines two queries with `union all`: each uses its own
 * index. A single query would be slow with either index. With the index by end, the database would read all approvals without an end,
 * although the list shows only the newest. With the index by creation, the database would read all approvals that have ended.
 */
export function standingGrants(db: Kysely<Tables>, filter: GrantFilter) {
  const endless = filteredGrants(db, filter)
    .where('term_kind', '!=', 'once')
    .where(sql<boolean>`${sql.raw(ENDLESS_APPROVAL)}`);
  const timed = filteredGrants(db, filter, UNINDEXED_TIME)
    .where('term_kind', '!=', 'once')
    .where('state', '=', 'approved')
    .where('lapses_at_ms', '>', filter.nowMs);
  const both = db
    .selectFrom(endless.select(['id', 'created_at_ms']).as('endless'))
    .selectAll()
    .unionAll(db.selectFrom(timed.select(['id', 'created_at_ms']).as('timed')).selectAll());
  return db.selectFrom(both.as('both')).orderBy('created_at_ms', 'desc').orderBy('id').limit(filter.limit);
}

/** Returns ids of pending, unexpired grants: first the oldest of each requester, then the second oldest of each, and so on. */
export async function readWaitingInTurns(db: Kysely<Tables>, limit: number, nowMs: number) {
  const { rows } = await sql<{ readonly id: string }>`select id from (
      select id, created_at_ms, row_number() over (partition by requester_id order by created_at_ms, id) as turn
      from grants where state = 'pending' and lapses_at_ms > ${nowMs}) as waiting
    order by turn, created_at_ms, id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Reads the whole grant; undefined if no grant has this id. */
export async function readGrantById(db: Kysely<Tables>, id: string) {
  const row = await db.selectFrom('grants').selectAll().where('id', '=', id).executeTakeFirst();
  return row && grantOf(row);
}

/**
 * Returns the grants that exist, in the order of `ids`. Reads only the shortened form (`brief`) of a long request. Old rows have no
 * `brief`. If an old row has a long request, a separate query reads the whole row.
 */
export async function readListedGrants(db: Kysely<Tables>, ids: readonly string[]): Promise<readonly ListedGrant[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('grants')
    .select(LISTED_COLUMNS)
    .select(sql<string>`coalesce(brief, request)`.as('request'))
    .select(sql<string | null>`case when brief is null then touches end`.as('touches'))
    .where('id', 'in', ids)
    .where(
      sql<boolean>`(brief is not null or octet_length(request) + coalesce(octet_length(touches), 0) <= ${MAX_LISTED_REQUEST_BYTES})`,
    )
    .execute();
  const found = new Map<string, ListedGrant>(
    rows.map((row) => [row.id, { ...grantOf(row), ...(row.cut_from === null ? {} : { cutFrom: row.cut_from }) }]),
  );
  const listed: ListedGrant[] = [];
  for (const id of ids) {
    const grant = found.get(id) ?? (await readGrantById(db, id));
    if (grant !== undefined) listed.push(listedGrant(grant));
  }
  return listed;
}
