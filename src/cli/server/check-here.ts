/** `apes server check [DIR]`: 0 when the database is whole, 78 when it is not. */
import { resolve } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { Installation } from '../../platform/installation.ts';
import type { CliContext } from '../context.ts';
import { answering, answeringBut, type Ending, failing } from '../ending.ts';
import { readBackup, withCopy } from './backup-files.ts';
import { ownDatabase, withLocalDatabase } from './local-database.ts';

interface Checked {
  readonly name: string;
  readonly faults: readonly string[];
}

export async function checkDatabase(context: CliContext, wanted: string | undefined): Promise<Ending> {
  const installation = await context.openInstallation();
  if (!installation.ok) return failing(installation.failure);
  const checked =
    wanted === undefined
      ? await checkInUse(installation.value)
      : await checkBackup(installation.value, resolve(wanted));
  if (!checked.ok) return failing(checked.failure);
  const { name, faults } = checked.value;
  if (faults.length === 0) return answering({ name, faults }, `${name} is whole\n`);
  const problem = failure('configuration', `${name} is not whole`, 'restore a backup: apes server restore');
  return answeringBut(problem, { name, faults }, faults.map((fault) => `${name}: ${fault}\n`).join(''));
}

async function checkInUse(installation: Installation): Promise<Result<Checked, Failure>> {
  const database = await ownDatabase(installation);
  if (!database.ok) return database;
  if (database.value === null)
    return failed(failure('configuration', 'there is no grant server in this installation', 'apes up makes one'));
  return withLocalDatabase({ database: database.value }, async (store) => {
    const faults = await store.check();
    return faults.ok ? success({ name: store.name, faults: faults.value }) : faults;
  });
}

async function checkBackup({ paths }: Installation, directory: string): Promise<Result<Checked, Failure>> {
  const list = await readBackup(directory);
  if (!list.ok) return list;
  return withCopy(directory, paths.state, (copy) =>
    withLocalDatabase({ database: copy }, async (store) => {
      const faults = await store.check();
      return faults.ok ? success({ name: directory, faults: faults.value }) : faults;
    }),
  );
}
