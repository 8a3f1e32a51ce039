/**
 * The record of the previous login shell, for `uninstall`. If root changed the login shell, the record is in a directory that only
 * root can change. If the user changed the login shell, the record is in the user's state directory.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { ensurePrivateDirectory, errorCode, readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { currentUser } from '../../platform/surroundings.ts';
import { isRoot } from './chosen-account.ts';

/**
 * @property shell         the absolute path of the ape-shell that was installed
 * @property previousShell the absolute path of the previous login shell
 */
export interface LoginRecord {
  readonly shell: string;
  readonly previousShell: string;
}

/** The directory for root's records. macOS has no /var/lib. */
const MACHINE_DIRECTORY = process.platform === 'darwin' ? '/var/db/ape-shell' : '/var/lib/ape-shell';
const ADDED_LINES = join(MACHINE_DIRECTORY, 'added-to-etc-shells.json');

const machineFile = (user: string): string => join(MACHINE_DIRECTORY, `login-${encodeURIComponent(user)}.json`);
const ownFile = (state: string): string => join(state, 'login-shell.json');

/**
 * Reads root's record of this user. If root has no record and the user is the caller, reads the user's own record. If the caller is root,
 * reads only root's record, because a user could write anything into the user's own record. Returns null if there is no trusted record.
 * @param state the state directory of the caller
 */
export function readLoginRecord(user: string, state: string): LoginRecord | null {
  const isOwn = !isRoot() && user === currentUser();
  return asRecord(readMachineFile(machineFile(user))) ?? (isOwn ? asRecord(readOwnFile(state)) : null);
}

/** Root writes into the directory for root's records; any other caller writes into `state`, its own state directory. */
export function writeLoginRecord(user: string, state: string, record: LoginRecord): Failure | null {
  const text = `${JSON.stringify(record)}\n`;
  return isRoot()
    ? writeMachineFile(machineFile(user), text)
    : (ensurePrivateDirectory(state) ?? writePrivateFile(ownFile(state), text));
}

/**
 * Root removes root's record of this user. Any other caller removes only the record in `state`. Root's record may remain without harm:
 * `uninstall` restores the recorded shell only while ape-shell is the login shell.
 */
export function removeLoginRecord(user: string, state: string): void {
  rmSync(isRoot() ? machineFile(user) : ownFile(state), { force: true });
}

/** Returns the lines that we added to /etc/shells. Returns an empty list if there is no trusted record of these lines. */
export function addedLines(): readonly string[] {
  const value = parse(readMachineFile(ADDED_LINES));
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}

/** Replaces the recorded lines by `lines`. Removes the file if `lines` is empty. */
export function writeAddedLines(lines: readonly string[]): Failure | null {
  if (lines.length > 0) return writeMachineFile(ADDED_LINES, `${JSON.stringify([...new Set(lines)])}\n`);
  rmSync(ADDED_LINES, { force: true });
  return null;
}

/** Returns null if the file cannot be read, or if a user other than root may have written the file. */
function readMachineFile(file: string): string | null {
  try {
    for (const path of [dirname(file), file]) {
      const stat = lstatSync(path);
      if (stat.uid !== 0 || (stat.mode & 0o022) !== 0 || stat.isSymbolicLink()) return null;
    }
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function writeMachineFile(file: string, text: string): Failure | null {
  const fresh = `${file}.${randomUUID()}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(fresh, text, { flag: 'wx', flush: true });
    chmodSync(fresh, 0o644);
    renameSync(fresh, file);
    return null;
  } catch (error) {
    rmSync(fresh, { force: true });
    const advice = `check the permissions and the free space of ${dirname(file)}`;
    return failure('system', `cannot write ${file} (${errorCode(error)})`, advice);
  }
}

function readOwnFile(state: string): string | null {
  const text = readPrivateFile(ownFile(state));
  return text.ok ? text.value : null;
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function asRecord(text: string | null): LoginRecord | null {
  const value = parse(text);
  if (typeof value !== 'object' || value === null) return null;
  const { shell, previousShell } = value as Record<string, unknown>;
  return isPath(shell) && isPath(previousShell) ? { shell, previousShell } : null;
}

const isPath = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');
