/**
 * Adds many requesters and grants to one stage: copies of the stage's own requester and grants, written directly into the database
 * while the server runs, because a million calls that file and approve would take a day.
 */
import { createHash, randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import pg from 'pg';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Runs SQL on SQLite or PostgreSQL. */
export class Rows {
  /**
   * @param {(text: string) => Promise<any[]> | any[]} run
   * @param {() => Promise<void> | void} end
   */
  constructor(run, end) {
    this.run = run;
    this.end = end;
  }

  static async of(stage) {
    const address = stage.env.APES_SERVE_DATABASE;
    if (address === undefined) return inFile(stage.databaseFile());
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    return new Rows(
      async (text) => (await client.query(text)).rows,
      // PostgreSQL analyzes tables by itself, but only some time after the new rows. SQLite needs no such call here: neither SQLite nor the
      // server ever analyzes its tables, so the bench measures them as users have them.
      async () => {
        await client.query('analyze');
        await client.end();
      },
    );
  }

  /** @returns {Promise<any[]>} */
  async all(text) {
    return this.run(text);
  }

  async one(text) {
    const [row] = await this.all(text);
    if (row === undefined) throw new Error(`nothing found: ${text}`);
    return row;
  }

  async close() {
    await this.end();
  }
}

function inFile(file) {
  const database = new Database(file);
  return new Rows(
    (text) => {
      const statement = database.prepare(text);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    },
    () => void database.close(),
  );
}

/** SQL for the numbers from 1 to `count`, as rows of one column n. */
const numbers = (count) =>
  `(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c) as numbers`;

/**
 * @typedef {{ table: string, keyIs: string, changed: Record<string, string>, columns: string[], count: number }} Copies
 *   `keyIs` is SQL that selects the row to copy; `changed` has SQL in place of columns, where `n` is the number of the copy
 */

/** @param {Copies} copied */
function copies({ table, keyIs, changed, columns, count }) {
  const values = columns.map((name) => changed[name] ?? `template.${name}`);
  return `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
    from (select * from ${table} where ${keyIs}) as template, ${numbers(count)}`;
}

/** @returns {Promise<string[]>} */
const columnsOf = async (rows, table, keyIs) => Object.keys(await rows.one(`select * from ${table} where ${keyIs}`));

/** Inserts a token for each subject, valid for a day. */
async function insertTokens(rows, subjectIds) {
  const nowMs = Date.now();
  const tokens = subjectIds.map((id) => ({ id, token: randomBytes(32).toString('base64url') }));
  const values = tokens.map(({ id, token }) => `('${sha256(token)}', '${id}', ${nowMs}, ${nowMs + 86_400_000})`);
  await rows.all(`insert into tokens (hash, subject_id, created_at_ms, expires_at_ms) values ${values.join(', ')}`);
  return tokens.map(({ token }) => token);
}

/** @returns {Promise<{ id: string, token: string }[]>} */
export async function addRequesters(rows, count) {
  const keyIs = `id = '${(await rows.one("select id from subjects where role = 'requester' limit 1")).id}'`;
  const prefix = `s_${randomBytes(4).toString('hex')}`;
  await rows.all(
    copies({
      table: 'subjects',
      keyIs,
      columns: await columnsOf(rows, 'subjects', keyIs),
      count,
      changed: { id: `'${prefix}' || n`, public_key: `'${prefix}' || n` },
    }),
  );
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
  const tokens = await insertTokens(rows, ids);
  return ids.map((id, index) => ({ id, token: tokens[index] ?? '' }));
}

/** Inserts a sign-in of the owner. Returns the header with its cookie. */
export async function signInOwner(rows) {
  const secret = randomBytes(32).toString('base64url');
  const [nowMs, { id }] = [Date.now(), await rows.one("select id from subjects where role = 'approver' limit 1")];
  await rows.all(`insert into sessions (hash, subject_id, created_at_ms, expires_at_ms, last_seen_at_ms)
    values ('${sha256(secret)}', '${id}', ${nowMs}, ${nowMs + 86_400_000}, ${nowMs})`);
  return { cookie: `ape_session=${secret}` };
}

/**
 * Copies one grant `count` times. The new ids are `prefix` and a number from 1.
 * @param {Rows} rows
 * @param {Pick<Copies, 'keyIs' | 'changed' | 'count'> & { prefix: string }} copied
 */
export async function copyGrants(rows, { keyIs, prefix, changed, count }) {
  const columns = await columnsOf(rows, 'grants', keyIs);
  await rows.all(copies({ table: 'grants', keyIs, columns, changed: { id: `'${prefix}' || n`, ...changed }, count }));
}

/**
 * Inserts `count` uses under a grant as the next events. `values` has SQL for the columns, where `n` is the number of the use, from 1.
 * @param {Rows} rows
 * @param {{ count: number, values: Record<'at_ms' | 'actor_id' | 'grant_id' | 'facts', string> }} uses
 */
export async function copyUses(rows, { count, values }) {
  const columns = Object.keys(values).join(', ');
  await rows.all(`insert into events (seq, kind, ${columns})
    select (select seq from event_head) + n, 'grant.used', ${Object.values(values).join(', ')} from ${numbers(count)}`);
  await rows.all(`update event_head set seq = seq + ${count}`);
}
