/** A store in one SQLite file: write-ahead log, every commit on the disk before it counts. The only file that knows better-sqlite3. */
import { closeSync, constants, lstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CompiledQuery, type DatabaseConnection, Kysely, SqliteDialect, SqliteDriver } from 'kysely';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result } from '../core/result.ts';
import { openSqlStore } from './sql-store.ts';
import type { Tables } from './sql-tables.ts';
import type { Store } from './store.ts';
import { storeFailure } from './store-fault.ts';

/** SQLite waits for a lock by holding up the whole event loop, so it may only do so for a moment; the rest of the patience is spent asleep. */
const BUSY_TIMEOUT_MS = 1;
/** Opening may meet another server that is just migrating. */
const OPENING_TIMEOUT_MS = 5_000;
const PATIENCE_MS = 5_000;

/** Creates the file (0600) and its directory (0700) where missing. A file that others may read is refused. */
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
    const db = new Kysely<Tables>({ dialect: new ImmediateSqliteDialect({ database: withPreparedOnce(file) }) });
    const opened = await openSqlStore({
      name: path,
      db,
      isShared: true,
      lock: async () => {},
      patienceMs: PATIENCE_MS,
    });
    if (opened.ok) file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return opened;
  } catch (error) {
    return failed(storeFailure(error, path));
  }
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

/** Each statement is compiled by SQLite once: our texts are few and fixed. */
function withPreparedOnce(file: File) {
  const prepared = new Map<string, ReturnType<File['prepare']>>();
  return {
    prepare(text: string) {
      const known = prepared.get(text);
      if (known !== undefined) return known;
      const statement = file.prepare(text);
      if (prepared.size < 200) prepared.set(text, statement);
      return statement;
    },
    close: () => file.close(),
    isInTransaction: () => file.inTransaction,
  };
}

/** A transaction that takes the write lock at once: one that reads first and writes later could only fail when another wrote in between. */
class ImmediateSqliteDriver extends SqliteDriver {
  private readonly database: ReturnType<typeof withPreparedOnce>;
  constructor(database: ReturnType<typeof withPreparedOnce>) {
    super({ database } as unknown as ConstructorParameters<typeof SqliteDriver>[0]);
    this.database = database;
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** On a full disk SQLite takes the transaction back by itself; doing it again would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.isInTransaction()) await super.rollbackTransaction(connection);
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  private readonly database: ReturnType<typeof withPreparedOnce>;
  constructor(config: { database: ReturnType<typeof withPreparedOnce> }) {
    // kysely types the statements more loosely than better-sqlite3 does; they are the same objects.
    super(config as unknown as ConstructorParameters<typeof SqliteDialect>[0]);
    this.database = config.database;
  }
  override createDriver() {
    return new ImmediateSqliteDriver(this.database);
  }
}

/** Of a table, at most `most` + 1: whoever gets more than `most` knows no more than that. */
export interface CountedTable {
  readonly table: string;
  readonly rows: number;
}

/** Where the header says how the file is read and written; 2 is a write-ahead log, which even reading would change files for. */
const READ_VERSION = 19;
const HEADER_BYTES = 100;

/**
 * How many rows tables in somebody else's file have, looked at without changing anything beside it. A string: why that
 * cannot be said. Views and virtual tables, which could run for ever, are left out.
 */
export async function countRows(
  path: string,
  tables: readonly string[],
  most: number,
): Promise<readonly CountedTable[] | string> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 'there is no such database file';
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  if (!header.toString('latin1').startsWith('SQLite format 3')) return 'it is no SQLite database';
  if (header[READ_VERSION] !== 1 || lstatSync(`${path}-journal`, { throwIfNoEntry: false }) !== undefined)
    return 'how many rows is not known without taking part in its write-ahead log';
  const { default: Database } = await import('better-sqlite3');
  const file = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    file.pragma('trusted_schema = off');
    const real = file.prepare(
      "select name from sqlite_schema where type = 'table' and rootpage > 0 and lower(name) = lower(?)",
    );
    return tables.flatMap((name): readonly CountedTable[] => {
      const table = (real.get(name) as { readonly name: string } | undefined)?.name;
      if (table === undefined) return [];
      const quoted = `"${table.replaceAll('"', '""')}"`;
      const counted = file.prepare(`select count(*) as rows from (select 1 from ${quoted} limit ?)`).get(most + 1);
      return [{ table, rows: (counted as { readonly rows: number }).rows }];
    });
  } finally {
    file.close();
  }
}
