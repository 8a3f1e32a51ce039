/**
 * Builds the SQL text of a query only once. Building the text takes several times longer than SQLite's answer. Every line that a grant
 * covers needs the same queries.
 */
import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './sql-tables.ts';

/** @property changes how many rows an `insert`, `update` or `delete` changed */
interface Executed {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Runs SQL on one connection. If a transaction is open on this connection, the SQL is part of that transaction. */
export type Execute = (text: string, parameters: readonly unknown[]) => Promise<Executed>;

/** Marks the place of a value that is only known when the query runs. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface PreparedQuery<Values, Row> {
  readonly build: (db: Kysely<Tables>, values: Values) => { compile(): CompiledQuery<Row> };
}

/**
 * Call `prepare` once for each query: `PreparedQueries` caches the text for the returned object.
 * @param build is called once for each database. Instead of each value, `build` gets a `Hole`. So `build` must only pass the values on
 */
export const prepare = <Values extends object, Row>(build: PreparedQuery<Values, Row>['build']) => ({ build });

interface Text {
  readonly sql: string;
  /** Each parameter is a fixed value, or a `Hole` with the name of a value that the caller passes to `run`. */
  readonly parameters: readonly unknown[];
}

/** Builds and caches the texts for one database. */
export class PreparedQueries {
  readonly #db: Kysely<Tables>;
  readonly #texts = new Map<unknown, Text>();

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async run<Values extends object, Row>(execute: Execute, query: PreparedQuery<Values, Row>, values: Values) {
    const { sql, parameters } = this.#texts.get(query) ?? this.#make(query);
    const given = values as Readonly<Record<string, unknown>>;
    const bound = parameters.map((parameter) => (parameter instanceof Hole ? given[parameter.name] : parameter));
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
