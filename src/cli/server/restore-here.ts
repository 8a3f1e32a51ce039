/**
 * `apes server restore DIR`: replaces the database and the server key with the database and the key of a backup, and ends all approvals.
 */
import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Installation } from '../../platform/installation.ts';
import { databasePath, serverKeyPath } from '../../platform/paths.ts';
import type { CliContext } from '../context.ts';
import { answering, type Ending, failing } from '../ending.ts';
import { endingWith } from '../opened.ts';
import { DATABASE_FILE, damagedBackup, KEY_FILE, readBackup } from './backup-files.ts';
import { endedText } from './ended-text.ts';
import { withLocalDatabase } from './local-database.ts';
import { underServerLock } from './local-server.ts';

interface Restored {
  readonly takenAt: string;
  readonly approvals: number;
  readonly policies: number;
  /** The paths to which the replaced files were moved. */
  readonly kept: readonly string[];
}

export const restore = (context: CliContext, wanted: string): Promise<Ending> =>
  endingWith(context, async (installation) => {
    const whenHeld = (pid: number) =>
      failure('usage', `the server of this installation runs (pid ${pid})`, 'apes down, then apes server restore');
    return underServerLock(installation.paths, whenHeld, async () => {
      const directory = resolve(wanted);
      const done = await putBack(installation, directory);
      return done.ok ? answering({ directory, ...done.value }, asText(directory, done.value)) : failing(done.failure);
    });
  });

/**
 * Prepares the new database in a separate file. The installation changes only at the end of this function. First, the write-ahead log of
 * the old database is merged or renamed. Then the new database and the key are renamed into their places.
 */
async function putBack(installation: Installation, directory: string): Promise<Result<Restored, Failure>> {
  if (installation.settings.serve.database !== null)
    return failed(
      failure(
        'usage',
        'serve.database names another database; this verb replaces only the database in the data directory',
        'put that database back with its own tools (pg_restore), then: apes server restored',
      ),
    );
  const list = await readBackup(directory);
  if (!list.ok) return list;
  const { data } = installation.paths;
  const draft = join(data, `restore-${process.pid}.sqlite`);
  const nowMs = systemClock.nowMs();
  try {
    // The database and the key are copied before the first rename, so that a full disk leaves the old database with its own key.
    for (const [from, to] of [
      [DATABASE_FILE, draft],
      [KEY_FILE, `${draft}.key`],
    ] as const) {
      copyFileSync(join(directory, from), to);
      chmodSync(to, 0o600);
    }
    const { endRestored } = await import('../../server/identity/restored.ts');
    const ended = await withLocalDatabase({ database: draft }, async (store) => {
      const faults = await store.check();
      if (!faults.ok) return faults;
      if (faults.value[0] !== undefined) return failed(damagedBackup(directory, faults.value[0]));
      return endRestored(store, nowMs);
    });
    if (!ended.ok) return ended;
    const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
    const place = databasePath(data);
    const keyPlace = serverKeyPath(data);
    await mergeLog(place);
    const kept = [place, keyPlace].flatMap((path) => keepOldFile(path, stamp));
    // A write-ahead log that could not be merged belongs to the old database, and would damage the new database.
    for (const end of ['-wal', '-shm'])
      if (existsSync(place + end)) renameSync(place + end, `${place}.before-${stamp}${end}`);
    renameSync(draft, place);
    renameSync(`${draft}.key`, keyPlace);
    return success({ takenAt: list.value.takenAt, ...ended.value, kept });
  } catch (error) {
    return failed(
      failure(
        'system',
        `the backup cannot be put back (${(error as Error).message})`,
        'check the disk; old files that were kept aside are in the data directory, with names *.before-*',
      ),
    );
  } finally {
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}.key`]) rmSync(file, { force: true });
  }
}

/** A killed server leaves its last commits in the write-ahead log. Opening the database writes these commits into the database file. */
async function mergeLog(database: string): Promise<void> {
  if (existsSync(database)) await withLocalDatabase({ database }, async () => success(null));
}

/** Makes a hard link to the file, and returns the path of the link. Returns an empty list if there is no file. */
function keepOldFile(path: string, stamp: string): readonly string[] {
  if (!existsSync(path)) return [];
  const aside = `${path}.before-${stamp}`;
  linkSync(path, aside);
  return [aside];
}

const asText = (directory: string, { takenAt, approvals, policies, kept }: Restored): string =>
  [
    `put back from ${directory}, as of ${takenAt}\n`,
    endedText({ approvals, policies }),
    ...kept.map((path) => `kept: ${path}\n`),
    'Start the server: apes up\n',
  ].join('');
