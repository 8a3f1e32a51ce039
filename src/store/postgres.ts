/** Opens a store in PostgreSQL, for several servers that share the load. Only this file and its helpers use the package pg. */
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result } from '../core/result.ts';
import { openCommitSignal } from './commit-signal.ts';
import { allAtOnce } from './postgres-shared-rows.ts';
import { newStandingUses } from './postgres-standing-uses.ts';
import type { Execute } from './prepared-query.ts';
import { openSqlStore } from './sql-store.ts';
import type { Tables } from './sql-tables.ts';
import { StatementNames } from './statement-names.ts';
import type { Store } from './store.ts';
import { poolWithoutBroken } from './whole-connections.ts';

const RETRY_FOR_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const INT8_OID = 20;

/**
 * Opens the store, and migrates the database. Fails in three cases: the address is malformed, the database cannot be used, or a newer
 * version of this program wrote the database.
 * @param url `postgres://user:password@host:port/database`, or `postgres:///database?host=/socket/directory`
 */
export async function openPostgresStore(url: string): Promise<Result<Store, Failure>> {
  const name = shownAddress(url);
  if (name === null)
    return failed(
      failure(
        'configuration',
        'the database address is malformed',
        'write postgres://user:password@host:port/name',
        'store.refused',
      ),
    );
  const { default: pg } = await import('pg');
  const common = {
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'ape-shell',
  };
  const pool = new pg.Pool({
    ...common,
    max: 8,
    // Each new connection has to plan every statement again, so an idle connection stays open for some minutes.
    idleTimeoutMillis: 300_000,
    // Times and counts (int8) are below 2^53, so this client reads int8 as numbers. By default, pg reads int8 as strings.
    types: {
      getTypeParser: (oid: number, format?: string) =>
        oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  // A database server that hangs during a statement never answers. So this client has its own time limit, except during a migration.
  let isMigrating = true;
  const answerMs = () => (isMigrating ? null : STATEMENT_TIMEOUT_MS + 2_000);
  const names = new StatementNames();
  const lent = poolWithoutBroken(pool, answerMs, names);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: lent }) });
  const executeOn = executeNamed(names);
  const signal = openCommitSignal(() => new pg.Client(common));
  const opened = await openSqlStore({
    name,
    db,
    execute: executeOn(db),
    transaction: (work) => db.transaction().execute((trx) => work({ db: trx, execute: executeOn(trx) })),
    isShared: true,
    isInProcess: false,
    hasOtherWriters: true,
    shared: allAtOnce,
    // In some languages, `i` is not the small letter of `I`. So this comparison uses the collation "C".
    isLike: (text, pattern) => sql`${text} collate "C" ilike ${pattern} escape '!'`,
    useStanding: newStandingUses(),
    lock: async (trx, key) => {
      await executeOn(trx)('select pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
    },
    beforeMigration: async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx);
    },
    retryForMs: RETRY_FOR_MS,
    signal,
    close: () => signal.close(),
  });
  isMigrating = false;
  return opened;
}

const executeNamed =
  (names: StatementNames) =>
  (db: Kysely<Tables>): Execute =>
  async (text, parameters) => {
    names.always(text);
    const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, [...parameters]));
    return { rows, changes: Number(numAffectedRows ?? 0) };
  };

/** The parameters that contain no secret. Other parameters may contain a secret: `password`, `sslpassword`, `options` and more. */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set(['host', 'port', 'user']);

/** Matches a percent-decoded part of an address: a database name, a host name, a user name, a port or a directory. */
const IS_PLAIN = /^[\w./~+-]*$/;

/** Returns only the scheme, user, host, port and database of an address, for messages and the log; null if the address is malformed. */
function shownAddress(url: string): string | null {
  try {
    const { protocol, username, host, pathname, searchParams, hash } = new URL(url);
    const shown = new URLSearchParams([...searchParams].filter(([name]) => SHOWN_PARAMETERS.has(name)));
    // Our messages and the driver's messages show these parts. If a part may contain a password, the address counts as malformed.
    // User names of some services contain an `@`.
    const names = [decodeURIComponent(username).replace('@', ''), decodeURIComponent(pathname), ...shown.values()];
    if (!/^postgres(?:ql)?:\/\//i.test(url) || !names.every((name) => IS_PLAIN.test(name))) return null;
    // If the password contains `#` or `?`, `new URL` takes the user name for the host, and a part of the password for the port.
    if (hash.includes('@') || [...searchParams.keys()].some((name) => name.includes('@'))) return null;
    const query = shown.size === 0 ? '' : `?${shown}`;
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}${query}`;
  } catch {
    return null;
  }
}
