/**
 * Reads and writes the records of sessions. The record of a session is a private file that contains the path of the session's socket. The
 * host of a session is the process that has the session's terminal and listens on the socket.
 */
import { chmodSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import type { SessionKind } from '../core/message/session-view.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import type { Paths } from '../platform/paths.ts';
import {
  checkPrivate,
  ensurePrivateDirectory,
  errorCode,
  readPrivateFile,
  writePrivateFile,
} from '../platform/private-files.ts';
import type { SessionEnding } from './host/live-session.ts';

/**
 * @property socket  absolute path; its directory is private
 * @property pid     the process that listens on the socket
 * @property ended   how and when the program ended; null: the program runs, or the host was killed before it could record the end
 */
export interface SessionEntry {
  readonly id: string;
  readonly name: string | null;
  readonly kind: SessionKind;
  readonly pid: number;
  readonly socket: string;
  readonly program: readonly string[];
  readonly cwd: string;
  readonly startedAtMs: number;
  readonly ended: (SessionEnding & { readonly atMs: number }) | null;
}

/**
 * In bytes. Systems accept at most about 104 bytes for the path of a Unix-domain socket. If the usual path is longer, the socket is in the
 * system's temporary directory.
 */
const MAX_SOCKET_PATH_LENGTH = 100;
/** How long an ended session stays in the listing. */
const REMEMBERED_MS = 10 * 60_000;

const ID = /^s_[0-9a-f]{20}$/;
/** Matches the valid session names. */
export const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const sessionDirectory = (paths: Paths): string => join(paths.run, 'sessions');
const entryPath = (directory: string, id: string): string => join(directory, `${id}.json`);

/**
 * Returns a path for the socket of this session, in a private directory. Makes `directory` if it is missing. Fails with 78 if `directory`
 * cannot be made or is not private, and with 71 if no temporary directory can be made.
 */
export function placeForSocket(directory: string, id: string): Result<string, Failure> {
  const fault = ensurePrivateDirectory(dirname(directory)) ?? ensurePrivateDirectory(directory);
  if (fault !== null) return failed(fault);
  const path = join(directory, `${id}.sock`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_LENGTH) return success(path);
  try {
    const own = mkdtempSync(join(tmpdir(), 'ape-'));
    chmodSync(own, 0o700);
    return success(join(own, 's'));
  } catch (error) {
    return failed(failure('system', `no place for a private socket (${errorCode(error)})`));
  }
}

/** The second file of a running session, for our C programs: KEY=VALUE strings, each with a NUL at its end (`bin/session-record.h`). */
const livePath = (directory: string, id: string): string => join(directory, `${id}.live`);

/** Writes or replaces the record of a session. Returns null, or the failure (71). */
export function writeEntry(directory: string, entry: SessionEntry): Failure | null {
  const { id, name, socket, ended } = entry;
  if (ended !== null) rmSync(livePath(directory, id), { force: true });
  const unwritten = writePrivateFile(entryPath(directory, id), `${JSON.stringify(entry)}\n`);
  if (unwritten !== null || ended !== null) return unwritten;
  const pairs = [`socket=${socket}`, ...(name === null ? [] : [`name=${name}`])];
  return writePrivateFile(livePath(directory, id), pairs.map((pair) => `${pair}\0`).join(''));
}

/** Removes the record and the socket of a session. */
export function removeEntry(directory: string, entry: SessionEntry): void {
  rmSync(livePath(directory, entry.id), { force: true });
  removeSocket(directory, entry.socket);
  rmSync(entryPath(directory, entry.id), { force: true });
}

/**
 * Removes a socket. If the socket is in its own temporary directory, also removes this directory. Does nothing if the socket's directory
 * is not private.
 * @param directory the directory of the session records; never removed
 */
export function removeSocket(directory: string, socket: string): void {
  const folder = dirname(socket);
  if (checkPrivate(folder, 'directory') !== null) return;
  rmSync(socket, { force: true });
  if (folder === directory) return;
  try {
    rmdirSync(folder);
  } catch {
    // The directory is not empty.
  }
}

/**
 * Returns the sessions on record, the oldest first; an empty list if the directory does not exist. Leaves out damaged records. Removes the
 * records of sessions that ended at least ten minutes ago. Fails (78) if the directory cannot be read, or is not private.
 */
export function readEntries(directory: string): Result<readonly SessionEntry[], Failure> {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return success([]);
    return failed(failure('configuration', `cannot read ${directory} (${errorCode(error)})`));
  }
  const fault = checkPrivate(directory, 'directory');
  if (fault !== null) return failed(fault);
  const entries = names
    .filter((name) => name.endsWith('.json') && ID.test(name.slice(0, -5)))
    .map((name) => readEntry(directory, name.slice(0, -5)))
    .filter((entry) => entry !== null)
    .filter((entry) => !isForgotten(directory, entry));
  return success(entries.sort((a, b) => a.startedAtMs - b.startedAtMs));
}

function isForgotten(directory: string, entry: SessionEntry): boolean {
  if (entry.ended === null || systemClock.nowMs() - entry.ended.atMs < REMEMBERED_MS) return false;
  removeEntry(directory, entry);
  return true;
}

/** Returns null if there is no private file with a valid record. */
function readEntry(directory: string, id: string): SessionEntry | null {
  const text = readPrivateFile(entryPath(directory, id));
  if (!text.ok || text.value === null) return null;
  try {
    const entry: unknown = JSON.parse(text.value);
    return isEntry(entry) && entry.id === id ? entry : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is SessionEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { name, kind, pid, socket, program, cwd, startedAtMs, ended } = value as Record<string, unknown>;
  return (
    (name === null || typeof name === 'string') &&
    (kind === 'shell' || kind === 'program') &&
    Number.isSafeInteger(pid) &&
    typeof socket === 'string' &&
    Array.isArray(program) &&
    program.every((word) => typeof word === 'string') &&
    typeof cwd === 'string' &&
    typeof startedAtMs === 'number' &&
    (ended === null || isEnded(ended))
  );
}

function isEnded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { status, signal, atMs } = value as Record<string, unknown>;
  return [status, signal, atMs].every((number) => typeof number === 'number');
}
