/**
 * Opens a store in one SQLite file with a write-ahead log. A write resolves only after its commit is on the disk. Only this file uses
 * better-sqlite3.
 */

import { closeSync, constants, lstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver, sql } from 'kysely';
import { type Failure, failure } from '../core/failure.ts';
import { type Fault, fault } from '../core/fault.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Execute } from './prepared-query.ts';
import { SharedCommits } from './shared-commits.ts';
import { rowByRow } from './shared-rows.ts';
import { openSqlStore, type SqlPlace } from './sql-store.ts';
import type { Tables } from './sql-tables.ts';
import type { Store } from './store.ts';
import { storeFailure } from './store-fault.ts';

/** SQLite blocks the event loop while it waits for a lock. So SQLite waits only for 1 ms, and the store sleeps between two tries. */
const BUSY_TIMEOUT_MS = 1;
/** The time-out while the database is opened. This time-out is long: another server is possibly migrating the database. */
const OPENING_TIMEOUT_MS = 5_000;
const RETRY_FOR_MS = 5_000;

/**
 * Creates the file (0600) and its directory (0700) if they are missing. Refuses a file of another user, or a file that other users can read
 * or write.
 */
export async function openSqliteStore(path: string): Promise<Result<Store, Failure>> {
  try {
    const refusal = prepareFile(path);
    if (refusal !== null) return failed(refusal);
    const { default: Database } = await import('better-sqlite3');
    const file = new Database(path, { timeout: OPENING_TIMEOUT_MS });
    try {
      for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'trusted_schema = off'])
        file.pragma(pragma);
    } catch (error) {
      file.close();
      throw error;
    }
    const opened = await openSqlStore({
      name: path,
      ...placesIn(file),
      isShared: true,
      isInProcess: true,
      hasOtherWriters: false,
      shared: rowByRow,
      isLike: (text, pattern) => sql`${text} like ${pattern} escape '!'`,
      lock: async () => {},
      retryForMs: RETRY_FOR_MS,
      copyTo: (target) => copyOf(file, target),
      damages: () => damagesOf(file),
      close: () => {
        if (file.open) file.close();
      },
    });
    if (opened.ok) file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return opened;
  } catch (error) {
    return failed(storeFailure(error, path));
  }
}

/** Makes a copy without a write-ahead log, so that the copy is one file and not three. */
async function copyOf(file: File, target: string): Promise<void> {
  await file.backup(target);
  const { default: Database } = await import('better-sqlite3');
  const copy = new Database(target);
  try {
    copy.pragma('journal_mode = delete');
  } finally {
    copy.close();
  }
}

function damagesOf(file: File): readonly string[] {
  const reports = (file.pragma('integrity_check(5)') as { readonly integrity_check: string }[]).map(
    (row) => row.integrity_check,
  );
  const dangling = file.pragma('foreign_key_check') as { readonly table: string }[];
  return [
    ...reports.filter((text) => text !== 'ok').map((text) => `the file is damaged: ${text}`),
    ...(dangling.length === 0 ? [] : [`${dangling.length} rows refer to rows that are gone (${dangling[0]?.table})`]),
  ];
}

function prepareFile(path: string): Failure | null {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  const { mode, uid } = lstatSync(path);
  if (uid !== process.getuid?.())
    return failure(
      'configuration',
      `the database ${path} belongs to another user`,
      'check the path, or chown it',
      'store.unopened',
    );
  if ((mode & 0o077) === 0) return null;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  return failure(
    'configuration',
    `the database ${path} is open to others (mode ${octal})`,
    `chmod 600 ${path}`,
    'store.unopened',
  );
}

type File = import('better-sqlite3').Database;

/**
 * Runs statements and transactions on the file. Statements and transactions take turns: they share one connection. A transaction takes the
 * write lock at its beginning. With a later lock, the first write could fail: another process may have written after the first read.
 */
function placesIn(file: File): SqlPlace & { transaction: <T>(work: (place: SqlPlace) => Promise<T>) => Promise<T> } {
  const turns = new Turns();
  const database = withPreparedOnce(file);
  const execute: Execute = async (text, parameters) => {
    const statement = database.prepare(text);
    if (statement.reader) return { rows: statement.all(parameters), changes: 0 };
    return { rows: [], changes: statement.run(parameters).changes };
  };
  const within: SqlPlace = { db: new Kysely<Tables>({ dialect: dialectOver(database) }), execute };
  const port = { run: (text: string) => void database.prepare(text).run([]), isOpen: () => file.inTransaction };
  const commits = new SharedCommits(port, (work) => turns.take(work));
  return {
    db: new Kysely<Tables>({ dialect: new TurnTakingDialect(database, turns) }),
    execute: (text, parameters) => turns.take(() => execute(text, parameters)),
    transaction: (work) => commits.run(() => work(within)),
  };
}

/** Runs pieces of work one after another, in the order of their arrival. */
class Turns {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  async begin(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

type PreparedOnce = ReturnType<typeof withPreparedOnce>;

/** Makes SQLite compile each of the first 200 texts only once. Nearly all texts are constant: only searches make new texts. */
function withPreparedOnce(file: File) {
  const prepared = new Map<string, ReturnType<File['prepare']>>();
  return {
    prepare(text: string) {
      const existing = prepared.get(text);
      if (existing !== undefined) return existing;
      const statement = file.prepare(text);
      if (prepared.size < 200) prepared.set(text, statement);
      return statement;
    },
    close: () => file.close(),
  };
}

/** The cast is safe: kysely expects the objects of better-sqlite3, but declares their types differently. */
const configOver = (database: PreparedOnce) =>
  ({ database }) as unknown as ConstructorParameters<typeof SqliteDialect>[0];

const dialectOver = (database: PreparedOnce) => new SqliteDialect(configOver(database));

class TurnTakingDriver extends SqliteDriver {
  readonly #turns: Turns;
  constructor(database: PreparedOnce, turns: Turns) {
    super(configOver(database));
    this.#turns = turns;
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.begin();
    return super.acquireConnection();
  }
  override async releaseConnection(): Promise<void> {
    await super.releaseConnection();
    this.#turns.end();
  }
}

class TurnTakingDialect extends SqliteDialect {
  readonly #makeDriver: () => TurnTakingDriver;
  constructor(database: PreparedOnce, turns: Turns) {
    super(configOver(database));
    this.#makeDriver = () => new TurnTakingDriver(database, turns);
  }
  override createDriver() {
    return this.#makeDriver();
  }
}

/**
 * @property table the name as the database spells it; the letter case can differ from the caller's spelling
 * @property rows  the number of rows, counted up to `most` + 1; a number above `most` means "more than `most`"
 */
export interface CountedTable {
  readonly table: string;
  readonly rows: number;
}

/** The offset of the "read version" in the header. The value 2 means a write-ahead log: then even a reader changes files. */
const READ_VERSION = 19;
const HEADER_BYTES = 100;

/**
 * Counts the rows in tables of the user's database file, for the impact preview. Changes no file. Fails with the reason if the rows cannot
 * be counted. Leaves out missing tables. Leaves out views and virtual tables too: a query on a view could run for ever.
 * @throws an error of the system or of SQLite if the file cannot be read or is locked
 */
export async function countRows(
  path: string,
  tables: readonly string[],
  most: number,
): Promise<Result<readonly CountedTable[], Fault>> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return failed(fault('there is no such database file'));
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (!header.toString('latin1').startsWith('SQLite format 3'))
    return failed(fault('the file is not a SQLite database'));
  if (header[READ_VERSION] !== 1 || lstatSync(`${path}-journal`, { throwIfNoEntry: false }) !== undefined)
    return failed(fault('its rows cannot be counted without changing its log or journal'));
  const { default: Database } = await import('better-sqlite3');
  const file = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    file.pragma('trusted_schema = off');
    const real = file.prepare(
      "select name from sqlite_schema where type = 'table' and rootpage > 0 and lower(name) = lower(?)",
    );
    const counted = tables.flatMap((name): readonly CountedTable[] => {
      const table = (real.get(name) as { readonly name: string } | undefined)?.name;
      if (table === undefined) return [];
      const quoted = `"${table.replaceAll('"', '""')}"`;
      const answer = file.prepare(`select count(*) as rows from (select 1 from ${quoted} limit ?)`).get(most + 1);
      return [{ table, rows: (answer as { readonly rows: number }).rows }];
    });
    return success(counted);
  } finally {
    file.close();
  }
}
