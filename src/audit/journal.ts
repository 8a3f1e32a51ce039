/**
 * The journal: a record of what this host did, with one JSON object per line and one file per day. The journal is for debugging only: the
 * agent's user can change the journal. The evidence is on the server. Nevertheless, a command is refused if the entry for this command
 * cannot be written.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import type { Clock } from '../platform/clock.ts';
import { checkPrivate, ensurePrivateDirectory, errorCode } from '../platform/private-files.ts';

/** @property event what happened, in the past tense: for example `asked`, `ran`, `refused`, `line.ran`, `line.finished`, `session.opened` */
interface JournalEntry {
  readonly event: string;
  readonly sessionId?: string;
  readonly grantId?: string | null;
  readonly [field: string]: unknown;
}

/**
 * Writes an entry. Returns null when the entry is in the file. If not, returns a failure (exit status 74), and the caller must run nothing.
 */
export type Journal = (entry: JournalEntry) => Failure | null;

/**
 * Opens today's file in `directory`, and later the file of each new day (UTC). Makes the directory if it is missing. Fails (exit status 74)
 * in two cases: the file cannot be opened, or other users have access to the file or the directory.
 */
export function openJournal(directory: string, clock: Clock): Result<Journal, Failure> {
  let day = '';
  let descriptor = -1;
  let opened = { ino: 0, dev: 0 };
  const open = (today: string): Failure | null => {
    const unfit = ensurePrivateDirectory(directory);
    if (unfit !== null) return { ...unfit, code: 'audit' };
    const path = join(directory, `${today}.jsonl`);
    try {
      const fresh = openSync(
        path,
        constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
        0o600,
      );
      const { ino, dev, mode } = fstatSync(fresh);
      if ((mode & 0o077) !== 0) {
        closeSync(fresh);
        return nothingRan(failure('audit', `other users have access to ${path}`, `chmod 600 ${path}`));
      }
      if (descriptor >= 0) closeSync(descriptor);
      descriptor = fresh;
      opened = { ino, dev };
      day = today;
      return null;
    } catch (error) {
      return unwritable(path, error);
    }
  };
  const first = open(dayOf(clock.nowMs()));
  if (first !== null) return failed(first);
  return success((entry) => {
    const nowMs = clock.nowMs();
    const today = dayOf(nowMs);
    const isCurrent = today === day && isStillAt(join(directory, `${today}.jsonl`), directory, opened);
    const turned = isCurrent ? null : open(today);
    if (turned !== null) return turned;
    const text = `${JSON.stringify({ at: new Date(nowMs).toISOString(), pid: process.pid, ...entry })}\n`;
    try {
      const line = Buffer.from(endsWithLine(descriptor) ? text : `\n${text}`);
      // One write with O_APPEND keeps the lines of several processes apart. A short write means that the disk is full.
      return writeSync(descriptor, line) === line.length ? null : unwritable(directory, fullDisk());
    } catch (error) {
      return unwritable(directory, error);
    }
  });
}

/** Whether the file is empty or ends with a newline. After a short write, the file has no newline at the end. */
function endsWithLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}

/**
 * Whether two things are true: the open file is still the file at `path`, and other users have no access to the file or the directory. An
 * entry in a file that was moved away or replaced does not count.
 */
function isStillAt(path: string, directory: string, opened: { readonly ino: number; readonly dev: number }): boolean {
  try {
    const here = lstatSync(path);
    return (
      here.ino === opened.ino &&
      here.dev === opened.dev &&
      (here.mode & 0o077) === 0 &&
      checkPrivate(directory, 'directory') === null
    );
  } catch {
    return false;
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const unwritable = (path: string, error: unknown): Failure =>
  nothingRan(
    failure(
      'audit',
      `the audit record cannot be written to ${path} (${errorCode(error)})`,
      'make room or correct the permissions',
    ),
  );

const fullDisk = (): Error => Object.assign(new Error('a short write'), { code: 'ENOSPC' });
