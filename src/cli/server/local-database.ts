/** Opens the database of this installation's own server, for verbs of the owner that do not use the network. */
import { existsSync } from 'node:fs';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import { databasePath } from '../../platform/paths.ts';
import type { Store } from '../../store/store.ts';
import { findLocalServer, type ServerRecord, silentServer } from './local-server.ts';

/** Only a type. `withLocalDatabase` imports the module late: an import at the start would slow down `apes grants run`. */
export type Administration = typeof import('../../server/identity/administration.ts');

/** Opens the database of this server record, calls `work`, and closes the database. */
export async function withLocalDatabase<T>(
  record: Pick<ServerRecord, 'database'>,
  work: (store: Store, administration: Administration) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const administration = await import('../../server/identity/administration.ts');
  const store = await administration.openDatabase(record.database);
  if (!store.ok) return store;
  try {
    return await work(store.value, administration);
  } finally {
    await store.value.close();
  }
}

/** Does the same as `withLocalDatabase`, with the database that `ownDatabase` finds. Fails (78) if there is no database. */
export async function withDatabaseOf<T>(
  installation: Installation,
  work: Parameters<typeof withLocalDatabase<T>>[1],
): Promise<Result<T, Failure>> {
  const database = await ownDatabase(installation);
  if (!database.ok) return database;
  return database.value === null ? failed(NO_SERVER) : withLocalDatabase({ database: database.value }, work);
}

const NO_SERVER = failure('configuration', 'there is no grant server in this installation', 'apes up makes one');

/**
 * Returns the path or URL of the database of this installation's own server. If the server's process runs, the server's record names the
 * database. Otherwise the settings name the database; perhaps no server has used this database yet. Without such a setting, the database
 * is the file at the default path. Null: both the setting and the file are missing.
 */
export async function ownDatabase(installation: Installation): Promise<Result<string | null, Failure>> {
  const found = await findLocalServer(installation.paths);
  if (!found.ok) return found;
  if (found.value.kind !== 'stopped') return success(found.value.record.database);
  const { database } = installation.settings.serve;
  const defaultDatabase = databasePath(installation.paths.data);
  return success(database ?? (existsSync(defaultDatabase) ? defaultDatabase : null));
}

/**
 * Finds the running server of this installation, for the owner's verbs. Fails with 78 if no server runs and `ownDatabase` finds no
 * database. Fails with 69 in the other cases without an answering server.
 */
export async function ownServer(installation: Installation): Promise<Result<ServerRecord, Failure>> {
  const found = await findLocalServer(installation.paths);
  if (!found.ok) return found;
  if (found.value.kind === 'running') return success(found.value.record);
  if (found.value.kind === 'silent') return failed(silentServer(found.value.record));
  const database = await ownDatabase(installation);
  if (!database.ok) return database;
  return failed(
    database.value === null
      ? NO_SERVER
      : failure('unavailable', 'the grant server of this installation does not run', 'start it: apes up'),
  );
}
