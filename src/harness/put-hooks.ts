/**
 * Puts our entries into a harness's files, and takes our entries out again. Keeps a copy of the original beside each file. The name of the
 * copy contains the date. For each file, a record keeps the digest of the text that we wrote. If the file still has that text, taking our
 * entries out restores the original bytes.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { errorCode, readPrivateFile, writePrivateFile } from '../platform/private-files.ts';
import type { HookFile, HookPlan, Scope } from './hook-file.ts';
import { isObject } from './tool-call.ts';
import { UndoLog } from './undo-log.ts';

/**
 * What was done with one file.
 * - `path`: the path of the file; if the plan names a link, the path of the link's target
 * - `backup`: the path of the copy of the original. The copy is kept. null: there was no file, or no record names a copy
 */
export type FileOutcome =
  | { readonly kind: 'unchanged'; readonly path: string }
  | { readonly kind: 'written'; readonly path: string; readonly backup: string | null }
  | { readonly kind: 'restored'; readonly path: string }
  | { readonly kind: 'deleted'; readonly path: string }
  /**
   * Only our entries were taken out: the file had changed since the installation, or had no record. If no text was left, the file was
   * deleted.
   */
  | { readonly kind: 'stripped'; readonly path: string; readonly backup: string | null }
  | { readonly kind: 'absent'; readonly path: string };

/**
 * @property backup the path of the copy of the original; null: there was no file
 * @property digest SHA-256 (hex) of the text that we wrote
 * @property made   the directories that were made for the file, outermost first
 * @property owner  whose entries are in the file; missing in records of earlier versions
 */
interface FileRecord {
  readonly path: string;
  readonly backup: string | null;
  readonly digest: string;
  readonly made: readonly string[];
  readonly owner?: RecordOwner;
}

/** @property project the project for which `apes hooks` was called, even if `scope` is not `project` */
export interface RecordOwner {
  readonly harness: string;
  readonly scope: Scope;
  readonly project: string;
}

const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/**
 * A file before the installation writes it.
 * @property now    the present text; null: there is no file
 * @property record the last installation's record; null: no record is usable (`usableRecord`), or the file changed after the installation
 * @property hasEarlierEntries whether `now` has entries of ours although `record` is null. For example, a person has changed the file since
 *                  an earlier installation, or the file is from another machine
 * @property wanted the text that will be written
 */
interface PreparedFile {
  readonly path: string;
  readonly now: string | null;
  readonly record: FileRecord | null;
  readonly hasEarlierEntries: boolean;
  readonly wanted: string;
}

/**
 * @property records the directory of the records
 * @property owner   whose entries these are
 * @property nowMs   the time that gets into the name of a copy
 */
export interface PutOrder {
  readonly records: string;
  readonly owner: RecordOwner;
  readonly nowMs: number;
}

/**
 * Writes all files of a plan, or no file: if the write of a file fails, all earlier files are put back. The outcomes are in the order of
 * the plan.
 * @param last called after all files are written; if it returns a failure, all files are put back
 */
export function putAll(
  { files }: HookPlan,
  order: PutOrder,
  last: () => Failure | null,
): Result<readonly FileOutcome[], Failure> {
  const prepared: PreparedFile[] = [];
  for (const file of files) {
    const one = guarded(file.path, () => prepareFile(file, order.records));
    if (!one.ok) return one;
    prepared.push(one.value);
  }
  return allOrNone((log) => {
    const outcomes: FileOutcome[] = [];
    for (const one of prepared) {
      const outcome = guarded(one.path, () => putFile(one, order, log));
      if (!outcome.ok) return outcome;
      outcomes.push(outcome.value);
    }
    const missing = last();
    return missing === null ? success(outcomes) : failed(missing);
  });
}

/**
 * Takes our entries out of all files, or of no file. Begins with the last file of the plan, and returns the outcomes in this order. The
 * reason: a new directory is removed together with the plan's first file in the directory, because the record of this file names the
 * directory. The other files must be gone by then.
 */
export function takeAllOut({ files }: HookPlan, records: string): Result<readonly FileOutcome[], Failure> {
  return allOrNone((log) => {
    const outcomes: FileOutcome[] = [];
    for (const file of [...files].reverse()) {
      const outcome = guarded(file.path, () => takeOut(file, records, log));
      if (!outcome.ok) return outcome;
      outcomes.push(outcome.value);
    }
    return success(outcomes);
  });
}

function allOrNone<T>(work: (log: UndoLog) => Result<T, Failure>): Result<T, Failure> {
  const log = new UndoLog();
  const outcome = work(log);
  if (outcome.ok) return outcome;
  const left = log.undoAll();
  if (left.length === 0) return outcome;
  const { code, message } = outcome.failure;
  return failed(failure(code, `${message}; not put back: ${left.join(', ')}`, 'look at these files'));
}

function guarded<T>(path: string, work: () => Result<T, Failure>): Result<T, Failure> {
  try {
    return work();
  } catch (error) {
    return failed(error instanceof ChangedMeanwhile ? error.failure : unwritable(path, error));
  }
}

/** Makes the new text without writing it, so that a broken file is found before the first file is changed. */
function prepareFile(file: HookFile, records: string): Result<PreparedFile, Failure> {
  const path = realPlace(file.path);
  const now = readSettings(path);
  if (!now.ok) return now;
  const record = usableRecord(records, path);
  const isOurs = record !== null && now.value !== null && digestOf(now.value) === record.digest;
  const original = isOurs ? originalOf(record) : now.value;
  const wanted = file.apply(original);
  if (!wanted.ok) return wanted;
  const stripped = isOurs || now.value === null ? null : file.strip(now.value, null);
  const hasEarlierEntries = stripped !== null && stripped.ok && stripped.value !== now.value;
  return success({ path, now: now.value, record: isOurs ? record : null, hasEarlierEntries, wanted: wanted.value });
}

function putFile(prepared: PreparedFile, order: PutOrder, log: UndoLog): Result<FileOutcome, Failure> {
  const { path, now, record, hasEarlierEntries, wanted } = prepared;
  const { records, owner, nowMs } = order;
  if (now === wanted) return noteEntries(path, order, log);
  const made = record?.made ?? makeDirectories(dirname(path), log);
  const backup = record === null ? backUp(path, now, nowMs, log) : record.backup;
  noteRecord(records, path, log);
  // A copy with earlier entries must not come back at the removal. This record makes the removal take only our entries out, as in
  // `noteEntries`.
  const kept = hasEarlierEntries ? { backup: null, digest: '' } : { backup, digest: digestOf(wanted) };
  const unrecorded = writeRecord(records, { path, ...kept, made, owner });
  if (unrecorded !== null) return failed(unrecorded);
  replace(path, now, wanted, log);
  return success({ kind: 'written', path, backup });
}

/**
 * Records a file that already had our entries, for example a project's file from another machine. The record gets an empty digest, which
 * fits no text. So a removal takes only our entries out, and deletes the file only if no text is left.
 */
function noteEntries(path: string, { records, owner }: PutOrder, log: UndoLog): Result<FileOutcome, Failure> {
  if (readRecord(records, path) === null) {
    noteRecord(records, path, log);
    const unrecorded = writeRecord(records, { path, backup: null, digest: '', made: [], owner });
    if (unrecorded !== null) return failed(unrecorded);
  }
  return success({ kind: 'unchanged', path });
}

function takeOut(file: HookFile, records: string, log: UndoLog): Result<FileOutcome, Failure> {
  const path = realPlace(file.path);
  const now = readSettings(path);
  if (!now.ok) return now;
  if (now.value === null) return alreadyOut('absent', records, path, log);
  const record = usableRecord(records, path);
  if (record !== null && digestOf(now.value) === record.digest)
    return success(restore(now.value, record, records, log));
  const stripped = file.strip(now.value, record === null ? null : originalOf(record));
  if (!stripped.ok) return stripped;
  if (stripped.value === now.value) return alreadyOut('unchanged', records, path, log);
  replace(path, now.value, stripped.value === '' ? null : stripped.value, log);
  forget(records, path, log);
  return success({ kind: 'stripped', path, backup: record?.backup ?? null });
}

/** The file has no entries of ours, so its record must go too: `apes health` reports recorded files without our entries. */
function alreadyOut(
  kind: 'absent' | 'unchanged',
  records: string,
  path: string,
  log: UndoLog,
): Result<FileOutcome, Failure> {
  forget(records, path, log);
  return success({ kind, path });
}

/**
 * Moves the backup back into place, or deletes the file if there was no file before. Then deletes the directories that were made for the
 * file.
 */
function restore(now: string, record: FileRecord, records: string, log: UndoLog): FileOutcome {
  const { path, backup } = record;
  if (backup === null) replace(path, now, null, log);
  else {
    const mode = modeOf(path);
    const original = readFileSync(backup, 'utf8');
    assertUnchanged(path, now);
    renameSync(backup, path);
    log.add(path, () => {
      assertUnchanged(path, original);
      renameSync(path, backup);
      writeWhole(path, now, null, mode);
    });
  }
  for (const directory of [...record.made].reverse()) {
    try {
      rmdirSync(directory);
      log.add(directory, () => mkdirSync(directory, { mode: 0o755 }));
    } catch {
      break; // the directory has other files
    }
  }
  forget(records, path, log);
  return { kind: backup === null ? 'deleted' : 'restored', path };
}

/** Writes `wanted`. If `wanted` is null, deletes the file. The undo step fails if another program wrote to the file after us. */
function replace(path: string, now: string | null, wanted: string | null, log: UndoLog): void {
  const mode = modeOf(path);
  if (wanted !== null) writeWhole(path, wanted, now, mode);
  else {
    assertUnchanged(path, now);
    rmSync(path);
  }
  log.add(path, () => {
    if (textAt(path) !== wanted) throw new ChangedMeanwhile(path);
    if (now === null) rmSync(path);
    else writeWhole(path, now, wanted, mode);
  });
}

/** Another program has written the settings file meanwhile. The other program's text stays, and our text is not written. */
class ChangedMeanwhile extends Error {
  readonly code = 'changed meanwhile';
  readonly failure: Failure;

  constructor(path: string) {
    super(path);
    this.failure = failure(
      'configuration',
      `${path} was changed by another program while it was being written`,
      'call again; nothing was changed',
    );
  }
}

function assertUnchanged(path: string, expected: string | null): void {
  if (textAt(path) !== expected) throw new ChangedMeanwhile(path);
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;

/** Follows links: the file that a link leads to is changed or made, and the link stays. */
export function realPlace(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const isDangling =
      errorCode(error) === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isDangling ? realPlace(resolve(realpathSync.native(dirname(path)), readlinkSync(path))) : path;
  }
}

function readSettings(path: string): Result<string | null, Failure> {
  try {
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    if (Buffer.from(text).equals(bytes)) return success(text);
    return failed(
      failure('configuration', `${path} is not UTF-8`, 'correct the file and call again; nothing was changed'),
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return success(null);
    return failed(failure('configuration', `cannot read ${path} (${errorCode(error)})`, accessAdvice(error)));
  }
}

/** Returns the text of the copy; null if there was no file before. */
const originalOf = ({ backup }: FileRecord): string | null => (backup === null ? null : readFileSync(backup, 'utf8'));

/** Makes the missing directories. Returns the new directories, outermost first. */
function makeDirectories(directory: string, log: UndoLog): string[] {
  if (existsSync(directory)) return [];
  const made = makeDirectories(dirname(directory), log);
  mkdirSync(directory, { mode: 0o755 });
  log.add(directory, () => rmdirSync(directory));
  return [...made, directory];
}

function backUp(path: string, now: string | null, nowMs: number, log: UndoLog): string | null {
  if (now === null) return null;
  const date = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-');
  for (let count = 0; ; count++) {
    const backup = `${path}.before-ape-shell-${date}${count === 0 ? '' : `-${count}`}`;
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL);
      log.add(backup, () => rmSync(backup));
      return backup;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Writes a new file with this mode, and renames it to `path`. So a harness that reads meanwhile gets the whole old text or the whole new
 * text. Throws ChangedMeanwhile if the file does not have the expected text.
 * @param expected null: there must be no file
 */
function writeWhole(path: string, text: string, expected: string | null, mode: number): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    try {
      fchmodSync(descriptor, mode);
      writeFileSync(descriptor, text); // writes all, or fails; writeSync can write only a part when the disk becomes full
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    assertUnchanged(path, expected);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
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
    return null; // without a readable record, only our entries are taken out
  }
}

/**
 * Returns null if there is no readable record, or if the record names a copy that is gone. Without the copy, only the present text has the
 * user's settings.
 */
function usableRecord(records: string, path: string): FileRecord | null {
  const record = readRecord(records, path);
  return record !== null && record.backup !== null && !existsSync(record.backup) ? null : record;
}

const writeRecord = (records: string, record: FileRecord): Failure | null =>
  writePrivateFile(recordFile(records, record.path), `${JSON.stringify(record, null, 2)}\n`);

function forget(records: string, path: string, log: UndoLog): void {
  noteRecord(records, path, log);
  rmSync(recordFile(records, path), { force: true });
}

/** Adds to `log` a step that restores the present text of the record. */
function noteRecord(records: string, path: string, log: UndoLog): void {
  const place = recordFile(records, path);
  const before = readPrivateFile(place);
  log.add(place, () => {
    if (!before.ok || before.value === null) rmSync(place, { force: true });
    else if (writePrivateFile(place, before.value) !== null) throw new Error('the record is lost');
  });
}

const unwritable = (path: string, error: unknown): Failure =>
  failure('system', `cannot write ${path} (${errorCode(error)})`, accessAdvice(error));

const accessAdvice = (error: unknown): string =>
  errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM'
    ? 'run this command again as root'
    : 'look at the file, then call again';

/**
 * @property isAsWritten whether the file still has exactly the bytes that we wrote; false even if only other settings have changed
 * @property text        the present text; null: the file is missing or cannot be read
 * @property owner       null: the record is from a version that did not write the owner
 */
export interface RecordedFile {
  readonly path: string;
  readonly isAsWritten: boolean;
  readonly text: string | null;
  readonly owner: RecordOwner | null;
}

/** Returns every file with a readable record. Each file had our entries after the installation, but the entries may be gone now. */
export function recordedFiles(records: string): readonly RecordedFile[] {
  if (!existsSync(records)) return [];
  return readdirSync(records).flatMap((name) => {
    const text = readPrivateFile(join(records, name));
    const path = text.ok && text.value !== null ? /"path": "((?:[^"\\]|\\.)*)"/.exec(text.value)?.[1] : undefined;
    const record = path === undefined ? null : readRecord(records, JSON.parse(`"${path}"`) as string);
    if (record === null) return [];
    const now = readSettings(record.path);
    const { value } = now.ok ? now : { value: null };
    const isAsWritten = value !== null && digestOf(value) === record.digest;
    return [{ path: record.path, isAsWritten, text: value, owner: record.owner ?? null }];
  });
}
