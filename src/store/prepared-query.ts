/**
 * Queries whose SQL is made once. Building the text of a query costs several times what SQLite takes to answer it, and
 * what a covered request needs is asked for again with every line that anybody types.
 */
import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';

/** @property changes how many rows an `insert`, `update` or `delete` touched */
interface Executed {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Runs SQL on one connection, within its transaction if there is one. */
export type Execute = (text: string, parameters: readonly unknown[]) => Promise<Executed>;

/** Stands in a query for a value that is only known when it runs. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface PreparedQuery<Values, Row> {
  readonly build: (db: Kysely<Tables>, values: Values) => { compile(): CompiledQuery<Row> };
}

/** @param build the query as for one run; it must not look at the values, which are none yet */
export const prepare = <Values extends object, Row>(build: PreparedQuery<Values, Row>['build']) => ({ build });

interface Text {
  readonly sql: string;
  /** A name for what the caller gives, or the value itself. */
  readonly parameters: readonly unknown[];
}

/** The texts for one database. */
export class PreparedQueries {
  readonly #db: Kysely<Tables>;
  readonly #texts = new Map<unknown, Text>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Values extends object, Row>(execute: Execute, query: PreparedQuery<Values, Row>, values: Values) {
    const { sql, parameters } = this.#texts.get(query) ?? this.#make(query);
    const given = values as Readonly<Record<string, unknown>>;
    const bound = parameters.map((each) => (each instanceof Hole ? given[each.name] : each));
    return (await execute(sql, bound)) as { readonly rows: readonly Row[]; readonly changes: number };
  }

  #make<Values extends object, Row>(query: PreparedQuery<Values, Row>): Text {
    const holes = new Proxy({}, { get: (_, name) => new Hole(String(name)) }) as Values;
    const { sql, parameters } = query.build(this.#db, holes).compile();
    const text = { sql, parameters };
    this.#texts.set(query, text);
    return text;
  }
}
