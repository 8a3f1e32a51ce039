/** Opens the store that the setting `database` names. */
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result } from '../core/result.ts';
import type { Store } from './store.ts';

/**
 * Makes a missing SQLite file, and migrates an older database. Fails if `database` names no database, or the database cannot be used.
 * @param database a path, `sqlite:PATH`, or `postgres://…`; only the code for that database is loaded
 */
export async function openStore(database: string): Promise<Result<Store, Failure>> {
  if (/^postgres(ql)?:/.test(database)) return (await import('./postgres.ts')).openPostgresStore(database);
  const path = database.replace(/^sqlite:/, '');
  if (path === '' || /^[a-z][a-z0-9+]+:\/\//.test(path))
    return failed(
      failure(
        'configuration',
        `no database is called ${JSON.stringify(database)}`,
        'give a path, sqlite:PATH or postgres://…',
        'store.refused',
      ),
    );
  return (await import('./sqlite.ts')).openSqliteStore(path);
}
