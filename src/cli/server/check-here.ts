/**
 * `apes server check [DIR]`: looks for damage in the database in use, or in a backup. The exit status is 0 without damage, and 78 with
 * damage.
 */
import { resolve } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringBut, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { readBackup, withCopy } from './backup-files.ts';
import { withDatabaseOf, withLocalDatabase } from './local-database.ts';

/** @property name the name of the database, or the directory of the backup */
interface Checked {
  readonly name: string;
  readonly faults: readonly string[];
}

/** @param wanted the directory of a backup; undefined: the database in use */
export const checkDatabase = (context: CliContext, wanted: string | undefined): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const checked =
      wanted === undefined ? await checkInUse(installation) : await checkBackup(installation, resolve(wanted));
    if (!checked.ok) return failing(checked.failure);
    const { name, faults } = checked.value;
    if (faults.length === 0) return answering({ name, faults }, `${name} is whole\n`);
    const problem = failure('configuration', `${name} is not whole`, 'restore a backup: apes server restore');
    return answeringBut(problem, { name, faults }, faults.map((fault) => `${name}: ${fault}\n`).join(''));
  });

async function checkInUse(installation: Installation): Promise<Result<Checked, Failure>> {
  return withDatabaseOf(installation, (store) => checkStore(store, store.name));
}

async function checkBackup({ paths }: Installation, directory: string): Promise<Result<Checked, Failure>> {
  const list = await readBackup(directory);
  if (!list.ok) return list;
  return withCopy(directory, paths.state, (copy) =>
    withLocalDatabase({ database: copy }, (store) => checkStore(store, directory)),
  );
}

async function checkStore(store: Store, name: string): Promise<Result<Checked, Failure>> {
  const faults = await store.check();
  return faults.ok ? success({ name, faults: faults.value }) : faults;
}
