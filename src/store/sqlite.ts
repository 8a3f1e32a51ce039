/** A store in one SQLite file: write-ahead log, every commit on the disk before it counts. The only file that knows better-sqlite3. */
import { closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
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
      holdsRows: false,
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
