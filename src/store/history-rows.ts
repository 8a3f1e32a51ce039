/**
 * Looks through the history for a search. The database reads a limited number of rows, the newest first, and says of each whether
 * the search can find it; the texts of the others never leave the database.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StoredAuditEvent } from '../core/grant/audit-event.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import { filteredGrants, filteredUses } from './grant-filter.ts';
import { eventOf, type Tables } from './sql-tables.ts';
import type { GrantFilter, UseFilter } from './store.ts';

/**
 * Parts are literal texts that are in a text; only ASCII letters are equal in any case. No parts: any text.
 * @property texts     parts for each text that would do: the row has all parts of one of them
 * @property hostParts parts of the name of the requester's host
 */
export interface RowSearch {
  readonly texts: readonly (readonly string[])[];
  readonly hostParts: readonly string[];
}

/** @property idPrefix also finds a grant whose id begins with this */
export interface GrantSearch extends RowSearch {
  readonly idPrefix: string | null;
}

export interface UseSearch extends RowSearch {
  readonly requesterId: string | null;
}

/** @property mayMatch false: the search does not find this grant */
interface SeenGrant {
  readonly id: string;
  readonly atMs: number;
  readonly mayMatch: boolean;
}

/**
 * @property mayMatch false: the search does not find this use by its own text
 * @property grantId  the grant, if it has one, and requester and host are those of the search
 */
export interface SeenUse {
  readonly seq: number;
  readonly atMs: number;
  readonly mayMatch: boolean;
  readonly grantId: string | null;
}

export interface HistoryReader {
  /** The limit may be 1 to 5,000. Compares the request (of a long one, its brief), the reason and the reason of a denial. */
  seeGrants(filter: GrantFilter, search: GrantSearch): Promise<readonly SeenGrant[]>;
  /** Compares the facts of the event. */
  seeUses(filter: UseFilter, search: UseSearch): Promise<readonly SeenUse[]>;
  /** Returns the events with these numbers, the newest first; at most `MAX_FETCHED`. */
  usesBySeq(seqs: readonly number[]): Promise<readonly StoredAuditEvent[]>;
  /** Returns the scopes of these grants, at most `MAX_FETCHED`; those without a scope are missing. */
  scopesOf(grantIds: readonly string[]): Promise<ReadonlyMap<string, GrantScope>>;
}

export const MAX_FETCHED = 200;

/** Makes SQL: whether a text is like a pattern, with `!` before a character that is not a wildcard, and ASCII letters in any case. */
export type IsLike = (text: RawBuilder<string>, pattern: string) => RawBuilder<boolean>;

export class SqlHistory implements HistoryReader {
  readonly #db: Kysely<Tables>;
  readonly #isLike: IsLike;
  readonly #settle: () => Promise<void>;

  /** @param settle gives numbers to committed events that have none */
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

/** Always of the same length, so that there is one text of the query. */
const filled = <T>(values: readonly T[], filler: T): readonly T[] =>
  Array.from({ length: MAX_FETCHED }, (_, at) => values[at] ?? filler);
