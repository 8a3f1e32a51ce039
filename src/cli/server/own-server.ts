/** Finds this installation's running server, or its database, for commands of the owner. */
import type { Failure } from '../../core/failure.ts';
import { failed, type Result } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { checkOwnersServer } from '../identity/enrol-here.ts';
import { withInstallation } from '../opened.ts';
import { ownServer, withDatabaseOf } from './local-database.ts';
import type { ServerRecord } from './local-server.ts';

/**
 * Calls `work` with the database of this installation's server; the server need not run. Fails with exit status 78, and does not call
 * `work`, if `checkOwnersServer` fails (this host is enrolled with another server), or if there is no database (`ownDatabase`).
 */
export const withOwnDatabase = <T>(
  context: CliContext,
  work: (store: Store, installation: Installation) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> =>
  withInstallation(context, async (installation) => {
    const why = await checkOwnersServer(installation);
    if (why !== null) return failed(why);
    return withDatabaseOf(installation, (store) => work(store, installation));
  });

/** Calls `work` with the record of this installation's running server. If `ownServer` fails, returns that failure. */
export const withOwnServer = <T>(
  context: CliContext,
  work: (record: ServerRecord) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> =>
  withInstallation(context, async (installation) => {
    const record = await ownServer(installation);
    return record.ok ? work(record.value) : record;
  });
