/**
 * Puts our entries into a harness's files and takes them out again. The original stays beside the file under a name with the
 * date, and a record of ours knows both digests: a file that nobody touched since gets its old bytes back.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { errorCode, readPrivateFile, writePrivateFile } from '../platform/private-files.ts';
import type { HookFile } from './hook-file.ts';
import { isObject } from './tool-call.ts';

/** What became of one file. */
export type FileOutcome =
  | { readonly kind: 'unchanged'; readonly path: string }
  | { readonly kind: 'written'; readonly path: string; readonly backup: string | null }
  | { readonly kind: 'restored'; readonly path: string }
  | { readonly kind: 'deleted'; readonly path: string }
  /** Somebody changed it since: only our entries went. */
  | { readonly kind: 'stripped'; readonly path: string; readonly backup: string | null }
  | { readonly kind: 'absent'; readonly path: string };

/**
 * @property backup where the original is, or null where there was no file
 * @property digest SHA-256 (hex) of what we wrote
 * @property made   directories that were made for it, outermost first
 */
interface FileRecord {
  readonly path: string;
  readonly backup: string | null;
  readonly digest: string;
  readonly made: readonly string[];
}

const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** What a file would be after installing; nothing is written. */
export interface PreparedFile {
  readonly file: HookFile;
  readonly path: string;
  readonly now: string | null;
  readonly record: FileRecord | null;
  readonly wanted: string;
}

/** Reads and computes everything first, so that a broken file is found before the first one is changed. */
export function prepareFile(file: HookFile, records: string): Result<PreparedFile, Failure> {
  const path = realPlace(file.path);
  const now = readSettings(path);
  if (!now.ok) return now;
  const record = readRecord(records, path);
  const isOurs = record !== null && now.value !== null && digestOf(now.value) === record.digest;
  const original = isOurs ? originalOf(record) : now.value;
  const wanted = file.apply(original);
  return wanted.ok
    ? success({ file, path, now: now.value, record: isOurs ? record : null, wanted: wanted.value })
    : wanted;
}

export function putFile(prepared: PreparedFile, records: string, nowMs: number): Result<FileOutcome, Failure> {
  const { path, now, record, wanted } = prepared;
  if (now === wanted) return success({ kind: 'unchanged', path });
  try {
    const made = record?.made ?? makeDirectories(dirname(path));
    const backup = record === null ? backUp(path, now, nowMs) : record.backup;
    const unrecorded = writeRecord(records, { path, backup, digest: digestOf(wanted), made });
    if (unrecorded !== null) return failed(unrecorded);
    writeWhole(path, wanted);
    return success({ kind: 'written', path, backup });
  } catch (error) {
    return failed(unwritable(path, error));
  }
}

export function takeOut(file: HookFile, records: string): Result<FileOutcome, Failure> {
  const path = realPlace(file.path);
  const now = readSettings(path);
  if (!now.ok) return now;
  if (now.value === null) return success({ kind: 'absent', path });
  const record = readRecord(records, path);
  try {
    if (record !== null && digestOf(now.value) === record.digest) return success(restore(path, record, records));
    const stripped = file.strip(now.value, record === null ? null : originalOf(record));
    if (!stripped.ok) return stripped;
    if (stripped.value === now.value) return success({ kind: 'unchanged', path });
    if (stripped.value === '') rmSync(path);
    else writeWhole(path, stripped.value);
    forget(records, path);
    return success({ kind: 'stripped', path, backup: record?.backup ?? null });
  } catch (error) {
    return failed(unwritable(path, error));
  }
}

/** The old bytes, moved back: the backup is gone afterwards. */
function restore(path: string, record: FileRecord, records: string): FileOutcome {
  if (record.backup === null) rmSync(path);
  else renameSync(record.backup, path);
  for (const directory of [...record.made].reverse()) {
    try {
      rmdirSync(directory);
    } catch {
      break; // somebody put something into it
    }
  }
  forget(records, path);
  return { kind: record.backup === null ? 'deleted' : 'restored', path };
}

/** A link is followed: what it leads to is changed, and the link stays. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function readSettings(path: string): Result<string | null, Failure> {
  try {
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return success(text);
    return failed(failure('configuration', `${path} is not UTF-8`, 'correct it and call again; nothing was changed'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return success(null);
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`, whoMay(error)));
  }
}

const originalOf = (record: FileRecord): string | null =>
  record.backup === null || !existsSync(record.backup) ? null : readFileSync(record.backup, 'utf8');

/** The directories that were made, outermost first. */
function makeDirectories(directory: string): string[] {
  if (existsSync(directory)) return [];
  const made = makeDirectories(dirname(directory));
  mkdirSync(directory, { mode: 0o755 });
  return [...made, directory];
}

function backUp(path: string, now: string | null, nowMs: number): string | null {
  if (now === null) return null;
  const date = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  for (let count = 0; ; count++) {
    const backup = `${path}.before-ape-shell-${date}${count === 0 ? '' : `-${count}`}`;
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Beside it and renamed, with the mode it had: a harness that reads it now finds the old text or the new one. */
function writeWhole(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644;
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    fchmodSync(descriptor, mode & 0o777);
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, path);
}

const recordFile = (records: string, path: string): string => join(records, `${digestOf(path).slice(0, 24)}.json`);

function readRecord(records: string, path: string): FileRecord | null {
  const text = readPrivateFile(recordFile(records, path));
  if (!text.ok || text.value === null) return null;
  try {
    const value: unknown = JSON.parse(text.value);
    return isObject(value) && value['path'] === path && typeof value['digest'] === 'string'
      ? (value as unknown as FileRecord)
      : null;
  } catch {
    return null; // half a record is none: only our entries are taken out then
  }
}

const writeRecord = (records: string, record: FileRecord): Failure | null =>
  writePrivateFile(recordFile(records, record.path), `${JSON.stringify(record, null, 2)}\n`);

const forget = (records: string, path: string): void => rmSync(recordFile(records, path), { force: true });

const unwritable = (path: string, error: unknown): Failure =>
  failure('system', `cannot write ${path} (${errorCode(error)})`, whoMay(error));

const whoMay = (error: unknown): string =>
  errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'
    ? 'call it as root'
    : 'look at the file, then call again';

/** Every file that holds hooks of this installation, and whether it still is what was written. */
export function recordedFiles(records: string): readonly { readonly path: string; readonly isAsWritten: boolean }[] {
  if (!existsSync(records)) return [];
  return readdirSync(records).flatMap((name) => {
    const text = readPrivateFile(join(records, name));
    const path = text.ok && text.value !== null ? /"path": "((?:[^"\\]|\\.)*)"/.exec(text.value)?.[1] : undefined;
    const record = path === undefined ? null : readRecord(records, JSON.parse(`"${path}"`) as string);
    if (record === null) return [];
    const now = readSettings(record.path);
    return [{ path: record.path, isAsWritten: now.ok && now.value !== null && digestOf(now.value) === record.digest }];
  });
}
