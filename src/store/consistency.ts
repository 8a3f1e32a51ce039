/** Checks conditions that must always be true across several tables. Returns each fault as a sentence. */
import { type Kysely, sql } from 'kysely';
import type { RetentionClass } from './retention-rows.ts';
import type { Tables } from './sql-tables.ts';

/** The most ids in one sentence; the remaining ids are only counted. */
const MAX_NAMED = 3;

const ids = (rows: readonly { readonly id: string }[]): string => {
  const more = rows.length - MAX_NAMED;
  return `${rows
    .slice(0, MAX_NAMED)
    .map(({ id }) => id)
    .join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Returns an SQL condition. The condition is true if the grant is so old that the retention may have removed events of this class. */
const wasCut = (kind: RetentionClass): string =>
  `created_at_ms < coalesce((select before_ms from removed_rows where class = '${kind}'), 0)`;

/*
 * Each query reads the grants once and the events once. A query that looks up the events of each grant can be slow: PostgreSQL reads the
 * whole record for each grant if the statistics are old, or if one grant has most of the events.
 */

const RECORDED_USES = `select grant_id, count(*) as times from (
    select grant_id from events where kind = 'grant.used'
    union all select grant_id from unnumbered_events where kind = 'grant.used') as used
  group by grant_id`;

/** Each `query` selects the ids of the grants that have the fault. */
const OF_GRANTS: readonly { readonly fault: string; readonly query: string }[] = [
  {
    fault: 'grants whose number of uses differs from the record',
    query: `select id from grants left join (${RECORDED_USES}) as recorded on recorded.grant_id = grants.id
      where uses < coalesce(times, 0) or (uses > coalesce(times, 0) and not ${wasCut('uses')})`,
  },
  {
    fault: 'grants for one use that were used more than once',
    query: `select id from grants where term_kind = 'once' and uses > 1`,
  },
  ...(
    [
      ['approved', 'grant.approved'],
      ['used', 'grant.approved'],
      ['revoked', 'grant.revoked'],
      ['denied', 'grant.denied'],
      ['withdrawn', 'grant.withdrawn'],
    ] as const
  ).map(([state, kind]) => ({
    fault: `grants that are ${state} without a record of this change`,
    query: `select id from grants where state = '${state}' and not ${wasCut('events')}
      except select grant_id from events where kind = '${kind}'`,
  })),
];

/** Returns one sentence for each kind of fault; an empty list if all is well. Reads every grant: a million grants take some seconds. */
export async function inconsistencies(db: Kysely<Tables>): Promise<readonly string[]> {
  const faults: string[] = [];
  const numbered = await sql<{ rows: number; last: number; head: number; removed: number }>`
    select count(*) as rows, coalesce(max(seq), 0) as last, (select seq from event_head) as head,
    (select coalesce(sum(row_count), 0) from removed_rows where class <> 'requests') as removed from events`.execute(
    db,
  );
  const { rows = 0, last = 0, head = 0, removed = 0 } = numbered.rows[0] ?? {};
  if (Number(last) !== Number(rows) + Number(removed))
    faults.push(
      `the record has gaps: ${rows} events and ${removed} removed events, but the last event has number ${last}`,
    );
  if (Number(head) !== Number(last)) faults.push(`the record ends at ${last}, and its counter says ${head}`);
  for (const { fault, query } of OF_GRANTS) {
    const found = await sql<{ id: string }>`${sql.raw(query)}`.execute(db);
    if (found.rows.length > 0) faults.push(`${fault}: ${ids(found.rows)}`);
  }
  return faults;
}
