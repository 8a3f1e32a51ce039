/** The files of a backup: the database in one file, the server's key, and a list with the digests of both files. */
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import { checkPrivate } from '../../platform/private-files.ts';

export const DATABASE_FILE = 'grants.sqlite';
export const KEY_FILE = 'server-key.pem';
export const LIST_FILE = 'backup.json';
const FILES = [DATABASE_FILE, KEY_FILE] as const;
const FORMAT = 'ape-backup/1';

/**
 * @property version of the program that made the backup
 * @property takenAt ISO 8601
 * @property files   SHA-256 (hex) of each file, by its name
 */
export interface BackupList {
  readonly format: typeof FORMAT;
  readonly version: string;
  readonly takenAt: string;
  readonly files: Readonly<Record<(typeof FILES)[number], string>>;
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Makes the list of the database and the key in `directory`. Rejects if one of these files is missing. */
export const newList = async (directory: string, version: string, takenAt: string): Promise<BackupList> => ({
  format: FORMAT,
  version,
  takenAt,
  files: {
    [DATABASE_FILE]: await digestOfFile(join(directory, DATABASE_FILE)),
    [KEY_FILE]: await digestOfFile(join(directory, KEY_FILE)),
  },
});

/**
 * Reads the list of a backup, and compares the digest of each listed file. The list and the files are in one directory. If other users can
 * write there, the digests prove nothing. Refuses a backup that other users can use, and a backup with symbolic links.
 */
export async function readBackup(directory: string): Promise<Result<BackupList, Failure>> {
  const path = join(directory, LIST_FILE);
  if (!existsSync(path))
    return failed(
      failure(
        'usage',
        `${directory} is no backup: it has no ${LIST_FILE}`,
        'name a directory made by `apes server backup`',
      ),
    );
  const unsafe = checkPrivate(directory, 'directory') ?? checkPrivate(path, 'file');
  if (unsafe !== null) return failed(unsafe);
  const list = parseList(readFileSync(path, 'utf8'));
  if (list === null) return failed(damagedBackup(directory, `${LIST_FILE} has an unknown shape`));
  for (const name of FILES) {
    const file = join(directory, name);
    if (!existsSync(file)) return failed(damagedBackup(directory, `${name} is missing`));
    const wide = checkPrivate(file, 'file');
    if (wide !== null) return failed(wide);
    if ((await digestOfFile(file)) !== list.files[name])
      return failed(damagedBackup(directory, `${name} was changed after the backup`));
  }
  return success(list);
}

export const damagedBackup = (directory: string, why: string): Failure =>
  failure('configuration', `the backup ${directory} is damaged: ${why}`, 'use another backup', 'backup.damaged');

function parseList(text: string): BackupList | null {
  try {
    const list = JSON.parse(text) as Partial<BackupList> | null;
    const isWhole =
      list?.format === FORMAT &&
      typeof list.version === 'string' &&
      typeof list.takenAt === 'string' &&
      FILES.every((name) => /^[0-9a-f]{64}$/.test(String(list.files?.[name])));
    return isWhole ? (list as BackupList) : null;
  } catch {
    return null;
  }
}

/**
 * Calls `work` with the path of a copy of the backup's database. `work` does not get the original: opening a database migrates the
 * database. Removes the copy when `work` has ended.
 * @param state the directory in which the copy is made
 */
export async function withCopy<T>(
  directory: string,
  state: string,
  work: (database: string) => Promise<T>,
): Promise<T> {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const scratch = mkdtempSync(join(state, 'backup-'));
  try {
    const copy = join(scratch, DATABASE_FILE);
    copyFileSync(join(directory, DATABASE_FILE), copy);
    return await work(copy);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
