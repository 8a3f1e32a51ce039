/** `apes server backup DIR`: writes the whole backup or nothing, and never overwrites an existing DIR. The server may run meanwhile. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { serverKeyPath } from '../../platform/paths.ts';
import { writePrivateFile } from '../../platform/private-files.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { type BackupList, DATABASE_FILE, KEY_FILE, LIST_FILE, newList } from './backup-files.ts';
import { withDatabaseOf } from './local-database.ts';

export const backUp = (context: CliContext, wanted: string): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const directory = resolve(wanted);
    if (existsSync(directory)) return failing(failure('usage', `${directory} exists already`, 'name a new directory'));
    const draft = `${directory}.part-${process.pid}`;
    const made = await writeDraft(context, installation, draft, directory);
    if (!made.ok) {
      if (existsSync(draft)) rmSync(draft, { recursive: true });
      return failing(made.failure);
    }
    const { takenAt, files } = made.value;
    return answering(
      { directory, takenAt, files },
      `copied to ${directory}\nThe backup contains the server's key: keep it where only you can read it.\n`,
    );
  });

async function writeDraft(
  context: CliContext,
  installation: Installation,
  draft: string,
  directory: string,
): Promise<Result<BackupList, Failure>> {
  try {
    const copied = await withDatabaseOf(installation, async (store) => {
      if (store.copyTo === null) return failed(notOurs(store.name));
      mkdirSync(dirname(draft), { recursive: true });
      mkdirSync(draft, { mode: 0o700 });
      return store.copyTo(join(draft, DATABASE_FILE));
    });
    if (!copied.ok) return copied;
    copyFileSync(serverKeyPath(installation.paths.data), join(draft, KEY_FILE));
    for (const name of [DATABASE_FILE, KEY_FILE]) chmodSync(join(draft, name), 0o600);
    const list = await newList(draft, context.version, new Date(systemClock.nowMs()).toISOString());
    const unwritten = writePrivateFile(join(draft, LIST_FILE), `${JSON.stringify(list, null, 2)}\n`);
    if (unwritten !== null) return failed(unwritten);
    renameSync(draft, directory);
    return success(list);
  } catch (error) {
    return failed(
      failure(
        'system',
        `the backup cannot be written (${(error as Error).message})`,
        'check the disk and the directory',
      ),
    );
  }
}

const notOurs = (name: string): Failure =>
  failure(
    'usage',
    `${name} is a PostgreSQL database, which has its own tools`,
    `pg_dump --format=custom copies the database; keep ${KEY_FILE} of the data directory with the copy; after pg_restore: apes server restored`,
    'backup.not_ours',
  );
