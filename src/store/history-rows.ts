/**
 * Searches the history. The database reads a limited number of rows, the newest first. For each row, the database returns whether the row
 * possibly matches. The texts of the rows do not leave the database.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StoredAuditEvent } from '../core/grant/audit-event.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import { eventOf } from './event-rows.ts';
import { filteredGrants, filteredUses } from './grant-filter.ts';
import type { Tables } from './sql-tables.ts';
import type { GrantFilter, UseFilter } from './store.ts';

/**
 * What a row must contain. A part is a literal substring; the case of ASCII letters is ignored. An empty list of parts matches any text.
 * @property texts     one or more lists of parts. One text of the row must contain all parts of one list
 * @property hostParts the parts that the name of the requester's host must contain
 */
export interface RowSearch {
  readonly texts: readonly (readonly string[])[];
  readonly hostParts: readonly string[];
}

/** @property idPrefix if a grant's id begins with exactly this text, only the host must match; null: ids are not compared */
export interface GrantSearch extends RowSearch {
  readonly idPrefix: string | null;
}

/** @property requesterId only uses of this requester match; null: uses of every requester may match */
export interface UseSearch extends RowSearch {
  readonly requesterId: string | null;
}

/** @property mayMatch false: the grant does not match; true: the caller has to compare the whole grant */
interface SeenGrant {
  readonly id: string;
  readonly atMs: number;
  readonly mayMatch: boolean;
}

/**
 * @property mayMatch true: the caller has to compare the whole use; false: the use itself does not match, but the grant `grantId` may match
 * @property grantId  the grant of the use; null: the use has no grant, or the requester or the host does not match
 */
export interface SeenUse {
  readonly seq: number;
  readonly atMs: number;
  readonly mayMatch: boolean;
  readonly grantId: string | null;
}

export interface HistoryReader {
  /**
   * Compares the grant's request, the requester's reason, and the reason of a denial. Of a long request, only the short form is compared.
   * @param filter its `limit` is 1 to 5,000
   */
  seeGrants(filter: GrantFilter, search: GrantSearch): Promise<readonly SeenGrant[]>;
  /** Compares the facts of each use event. */
  seeUses(filter: UseFilter, search: UseSearch): Promise<readonly SeenUse[]>;
  /**
   * Returns the events with these numbers, the newest first. Numbers that no event has are left out.
   * @param seqs at most `MAX_FETCHED`
   */
  usesBySeq(seqs: readonly number[]): Promise<readonly StoredAuditEvent[]>;
  /**
   * Returns the scopes of these grants by id. Grants without a scope are left out.
   * @param grantIds at most `MAX_FETCHED`
   */
  scopesOf(grantIds: readonly string[]): Promise<ReadonlyMap<string, GrantScope>>;
}

/** The most numbers or ids that one call of `usesBySeq` or `scopesOf` takes. */
export const MAX_FETCHED = 200;

/** Returns an SQL condition: the text is LIKE the pattern. `!` is the escape character. The case of ASCII letters is ignored. */
export type IsLike = (text: RawBuilder<string>, pattern: string) => RawBuilder<boolean>;

export class SqlHistory implements HistoryReader {
  readonly #db: Kysely<Tables>;
  readonly #isLike: IsLike;
  readonly #settle: () => Promise<void>;

  /** @param settle gives numbers to committed events that have no number yet */
  constructor({ db, isLike }: { readonly db: Kysely<Tables>; readonly isLike: IsLike }, settle: () => Promise<void>) {
    this.#db = db;
    this.#isLike = isLike;
    this.#settle = settle;
  }

  async seeGrants(filter: GrantFilter, { texts, hostParts, idPrefix }: GrantSearch) {
    const hosts = this.#ofHosts(sql`requester_id`, hostParts);
    const found = ['coalesce(brief, request)', 'reason', 'deny_reason'].map((text) => this.#hasOne(text, texts));
    if (idPrefix !== null) found.push(sql`substr(id, 1, ${sql.lit(idPrefix.length)}) = ${idPrefix}`);
    const rows = await filteredGrants(this.#db, filter)
      .select(['id', 'created_at_ms', flag(sql`${hosts} and (${sql.join(found, sql` or `)})`).as('may_match')])
      .execute();
    return rows.map((row) => ({ id: row.id, atMs: row.created_at_ms, mayMatch: row.may_match === 1 }));
  }

  async seeUses(filter: UseFilter, { texts, hostParts, requesterId }: UseSearch) {
    await this.#settle();
    const ofRequester = requesterId === null ? ANY : sql<boolean>`actor_id = ${requesterId}`;
    const who = sql<boolean>`${ofRequester} and ${this.#ofHosts(sql`actor_id`, hostParts)}`;
    const rows = await filteredUses(this.#db, filter)
      .select([
        'seq',
        'at_ms',
        sql<string | null>`case when ${who} then grant_id end`.as('grant'),
        flag(sql`${who} and ${this.#hasOne('facts', texts)}`).as('may_match'),
      ])
      .execute();
    return rows.map((row) => ({
      seq: row.seq,
      atMs: row.at_ms,
      mayMatch: row.may_match === 1,
      grantId: row.grant,
    }));
  }

  async usesBySeq(seqs: readonly number[]) {
    if (seqs.length === 0) return [];
    const query = this.#db.selectFrom('events').selectAll().where('seq', 'in', filled(seqs, 0));
    return (await query.orderBy('at_ms', 'desc').orderBy('seq', 'desc').execute()).map(eventOf);
  }

  async scopesOf(grantIds: readonly string[]) {
    if (grantIds.length === 0) return new Map<string, GrantScope>();
    const rows = await this.#db
      .selectFrom('grants')
      .select(['id', 'scope'])
      .where('id', 'in', filled(grantIds, ''))
      .where('scope', 'is not', null)
      .execute();
    return new Map(rows.map(({ id, scope }) => [id, JSON.parse(scope ?? 'null') as GrantScope]));
  }

  #ofHosts(subjectId: RawBuilder<string>, hostParts: readonly string[]): RawBuilder<boolean> {
    if (hostParts.length === 0) return ANY;
    return sql`${subjectId} in (select subjects.id from subjects where ${this.#hasAll('subjects.host', hostParts)})`;
  }

  #hasOne(text: string, texts: RowSearch['texts']): RawBuilder<boolean> {
    return sql`(${sql.join(
      texts.map((parts) => this.#hasAll(text, parts)),
      sql` or `,
    )})`;
  }

  #hasAll(text: string, parts: readonly string[]): RawBuilder<boolean> {
    if (parts.length === 0) return ANY;
    const likes = parts.map((part) => this.#isLike(sql.raw<string>(text), `%${part.replace(/[!%_]/g, '!$&')}%`));
    return sql`(${sql.join(likes, sql` and `)})`;
  }
}

const ANY = sql<boolean>`1 = 1`;

const flag = (condition: RawBuilder<unknown>) => sql<number>`case when ${condition} then 1 else 0 end`;

/** Fills the list up to `MAX_FETCHED` values, so that the text of the query is always the same. */
const filled = <T>(values: readonly T[], filler: T): readonly T[] =>
  Array.from({ length: MAX_FETCHED }, (_, at) => values[at] ?? filler);
