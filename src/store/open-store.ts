/** Opens the store that the setting `database` names. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result } from '../core/result.ts';
import type { Store } from './store.ts';

/**
 * Makes a missing SQLite file, and migrates an older database. Fails if `database` names no database, or the database cannot be used.
 * @param database a path, `sqlite:PATH`, or `postgres://…`; only the code for this kind of database is loaded
 */
export async function openStore(database: string): Promise<Result<Store, Failure>> {
  const scheme = schemeOf(database);
  if (isOnDatabaseServer(database)) return (await import('./postgres.ts')).openPostgresStore(database.trim());
  const path = database.replace(/^sqlite:/, '');
  if (path === '' || (scheme !== undefined && path === database)) return failed(unknown(`${scheme ?? ''}:…`));
  if (mayHavePassword(path)) return failed(unknown('…'));
  return (await import('./sqlite.ts')).openSqliteStore(path);
}

const schemeOf = (database: string): string | undefined => /^\s*([A-Za-z][\w+.-]*):/.exec(database)?.[1]?.toLowerCase();

/** Whether `openStore` connects to a database server; false: the database is a file, or is refused. */
export function isOnDatabaseServer(database: string): boolean {
  const scheme = schemeOf(database);
  return scheme === 'postgres' || scheme === 'postgresql';
}

/**
 * Whether the text may be the address of a database server, in another form than `postgres://…`. Such an address can have a password.
 * A message about a missing file would show the password. A path with `=`, `@` or `;` must begin with `/` or `.`.
 */
const mayHavePassword = (path: string): boolean =>
  /^\s*(?:\w+:)?\/\/|(?:pass\w*|pwd|host|dbname|user)\s*=/i.test(path) || /^[^./].*[=@;]/s.test(path);

/** Shows no more than the scheme, because the rest can have a password. */
const unknown = (shown: string): Failure =>
  failure(
    'configuration',
    `no database is called "${shown}"`,
    'give a path, sqlite:PATH or postgres://…',
    'store.refused',
  );
