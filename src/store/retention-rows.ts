/**
 * Removes rows that are older than the retention of the installation. Each turn removes and counts a limited number of rows. Does not
 * remove rows that a decision still needs: requests that are pending or can still be used, and the events of their filing and approval.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './sql-tables.ts';

export const RETENTION_CLASSES = ['requests', 'uses', 'events'] as const;
/**
 * - `requests`: requests that have ended
 * - `uses`: events of commands that ran under a grant or policy, or that a policy forbade
 * - `events`: all other events
 */
export type RetentionClass = (typeof RETENTION_CLASSES)[number];

/**
 * All rows of one class that were removed until now.
 * @property count    the number of these rows
 * @property lastSeq  the highest number of a removed event, or of an event about a removed request; 0: no number is known
 * @property beforeMs the latest `beforeMs` of a turn that removed rows, Unix ms
 */
export interface RemovedRows {
  readonly class: RetentionClass;
  readonly count: number;
  readonly lastSeq: number;
  readonly beforeMs: number;
}

/**
 * @property beforeMs rows that ended or happened before this moment are removed; never later than `nowMs`
 * @property fromMs   only for the class `events`: the turn does not read events before this moment. Earlier turns have removed or kept
 *                    these older events. In the first turn of each hour, `fromMs` is 0: this turn reads the kept events again
 * @property limit    the most rows that one turn removes; 1 to 1,000. In the class `events`, the turn may remove up to `limit` events
 *                    `record.cut` in addition
 */
export interface RetentionTurn {
  readonly beforeMs: number;
  readonly fromMs: number;
  readonly nowMs: number;
  readonly limit: number;
}

/**
 * What one turn has removed.
 * @property count    the number of removed rows; 0: no row is left to remove
 * @property lastAtMs for the class `events`: the `fromMs` of the next turn; 0: nothing was removed
 */
export interface TurnOutcome {
  readonly count: number;
  readonly lastSeq: number;
  readonly lastAtMs: number;
}

export const NOTHING_REMOVED: TurnOutcome = { count: 0, lastSeq: 0, lastAtMs: 0 };

export interface RetentionReader {
  /** Returns one entry for each class that has lost rows. */
  removedRows(): Promise<readonly RemovedRows[]>;
}

/**
 * The caller must call `lockRequest('retention', '')` first: two servers must not remove rows at the same time. After a removal, the caller
 * must record an event `record.cut`.
 */
export interface RetentionWriter extends RetentionReader {
  /** Removes rows, and adds the number of removed rows to the counts of `removedRows`. */
  removeOld(kind: RetentionClass, turn: RetentionTurn): Promise<TurnOutcome>;
}

export interface RemovedRow {
  class: RetentionClass;
  row_count: number;
  last_seq: number;
  before_ms: number;
}

/** Conditions of partial indexes. SQLite uses a partial index only for a query that contains exactly the text of the condition. */
const USE_EVENT = "kind in ('grant.used', 'policy.used', 'policy.vetoed')";
export const OTHER_EVENT = "kind not in ('grant.used', 'policy.used', 'policy.vetoed')";

/**
 * Each entry has three parts: a stored state, the column with the end of a request in this state, and the column to sort by. The moment of
 * a withdrawal is not stored. A withdrawn request therefore counts as ended at its expiry, which is later.
 */
const ENDS = [
  ['denied', 'decided_at_ms', 'created_at_ms'],
  ['used', 'used_at_ms', 'created_at_ms'],
  ['revoked', 'revoked_at_ms', 'created_at_ms'],
  ['withdrawn', 'expires_at_ms', 'created_at_ms'],
  ['pending', 'lapses_at_ms', 'lapses_at_ms'],
  ['approved', 'lapses_at_ms', 'lapses_at_ms'],
] as const;

/** Tables in which each row belongs to one grant. */
export const BESIDE_GRANTS = ['grant_findings', 'grant_matches', 'notification_jobs'] as const;

export class SqlRetentionRows implements RetentionWriter {
  readonly #db: Kysely<Tables>;
  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async removedRows() {
    const rows = await this.#db.selectFrom('removed_rows').selectAll().orderBy('class').execute();
    return rows.map((row) => ({
      class: row.class,
      count: row.row_count,
      lastSeq: row.last_seq,
      beforeMs: row.before_ms,
    }));
  }

  async removeOld(kind: RetentionClass, turn: RetentionTurn) {
    const removed = await this.#remove(kind, turn);
    if (removed.count > 0) await this.#add(kind, removed, turn.beforeMs);
    return removed;
  }

  #remove(kind: RetentionClass, turn: RetentionTurn): Promise<TurnOutcome> {
    if (kind === 'requests') return this.#removeRequests(turn);
    return kind === 'uses' ? this.#removeUses(turn) : this.#removeEvents(turn);
  }

  async #removeRequests({ beforeMs, limit }: RetentionTurn): Promise<TurnOutcome> {
    const ids: string[] = [];
    for (const [state, end, order] of ENDS) {
      if (ids.length >= limit) break;
      const found = await this.#db
        .selectFrom('grants')
        .select('id')
        .where('state', '=', state)
        .where(end, '<', beforeMs)
        .where('created_at_ms', '<', beforeMs)
        .orderBy(order)
        .limit(limit - ids.length)
        .execute();
      ids.push(...found.map(({ id }) => id));
    }
    if (ids.length === 0) return NOTHING_REMOVED;
    const lastSeq = await this.#lastSeqOf(ids);
    for (const table of BESIDE_GRANTS) await this.#db.deleteFrom(table).where('grant_id', 'in', ids).execute();
    const { numDeletedRows } = await this.#db.deleteFrom('grants').where('id', 'in', ids).executeTakeFirst();
    return { count: Number(numDeletedRows), lastSeq, lastAtMs: 0 };
  }

  async #lastSeqOf(grantIds: readonly string[]): Promise<number> {
    const { rows } = await sql<{ readonly last: number | null }>`
      select max((select max(seq) from events where events.grant_id = grants.id)) as last
      from grants where id in (${sql.join(grantIds)})`.execute(this.#db);
    return rows[0]?.last ?? 0;
  }

  async #removeUses({ beforeMs, limit }: RetentionTurn): Promise<TurnOutcome> {
    const found = await this.#db
      .selectFrom('events')
      .select(['seq', 'at_ms'])
      .where(sql<boolean>`${sql.raw(USE_EVENT)}`)
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms')
      .orderBy('seq')
      .limit(limit)
      .execute();
    return this.#removeNumbered(found);
  }

  /**
   * Removes events. The caller records each removal as a new event `record.cut`. Old events `record.cut` are therefore removed only
   * together with other events. A removal of `record.cut` alone would always leave a new event to remove.
   */
  async #removeEvents(turn: RetentionTurn): Promise<TurnOutcome> {
    const { fromMs, beforeMs, nowMs, limit } = turn;
    const found = await this.#oldEvents(fromMs, beforeMs, limit)
      .where('kind', '<>', 'record.cut')
      .where(sql<boolean>`not (kind in ('grant.requested', 'grant.repeated', 'grant.approved') and exists (
        select 1 from grants where grants.id = events.grant_id and state in ('pending', 'approved')
        and (lapses_at_ms is null or lapses_at_ms > ${nowMs})))`)
      .execute();
    const others = await this.#removeNumbered(found);
    if (others.count === 0) return others;
    const marks = await this.#oldEvents(fromMs, others.lastAtMs + 1, limit)
      .where('kind', '=', 'record.cut')
      .execute();
    const { count, lastSeq } = await this.#removeNumbered(marks);
    return { ...others, count: others.count + count, lastSeq: Math.max(others.lastSeq, lastSeq) };
  }

  #oldEvents(fromMs: number, beforeMs: number, limit: number) {
    return this.#db
      .selectFrom('events')
      .select(['seq', 'at_ms'])
      .where(sql<boolean>`${sql.raw(OTHER_EVENT)}`)
      .where('at_ms', '>=', fromMs)
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms')
      .orderBy('seq')
      .limit(limit);
  }

  async #removeNumbered(found: readonly { readonly seq: number; readonly at_ms: number }[]): Promise<TurnOutcome> {
    if (found.length === 0) return NOTHING_REMOVED;
    const seqs = found.map(({ seq }) => seq);
    const { numDeletedRows } = await this.#db.deleteFrom('events').where('seq', 'in', seqs).executeTakeFirst();
    return { count: Number(numDeletedRows), lastSeq: Math.max(...seqs), lastAtMs: found.at(-1)?.at_ms ?? 0 };
  }

  async #add(kind: RetentionClass, { count, lastSeq }: TurnOutcome, beforeMs: number): Promise<void> {
    const before = (await this.removedRows()).find((row) => row.class === kind);
    const counted = {
      row_count: (before?.count ?? 0) + count,
      last_seq: Math.max(before?.lastSeq ?? 0, lastSeq),
      before_ms: Math.max(before?.beforeMs ?? 0, beforeMs),
    };
    await this.#db
      .insertInto('removed_rows')
      .values({ class: kind, ...counted })
      .onConflict((conflict) => conflict.column('class').doUpdateSet(counted))
      .execute();
  }
}
