/** Finds the embedded server of this installation. `apes serve` writes a record of the server to `state/server.json`. */
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../../core/failure.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { ServerInfo } from '../../core/wire/server-info.ts';
import { callServer, malformed } from '../../grants/http.ts';
import type { TokenParts } from '../../grants/token.ts';
import { takeLock } from '../../platform/lock-file.ts';
import { isOurProcess } from '../../platform/own-process.ts';
import type { Paths } from '../../platform/paths.ts';
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from '../../platform/private-files.ts';
import { isOnDatabaseServer } from '../../store/open-store.ts';
import { type Ending, failing } from '../ending.ts';

/**
 * @property pid       the id of the server's process
 * @property url       the server's address for this host
 * @property publicUrl the server's address for approvers
 * @property database  the value of `--database`. The value can contain a password, so the record's file has mode 0600
 * @property publicKey raw Ed25519, base64url
 * @property startedAt ISO 8601
 * @property build     the build of the server's program; absent in a record that an older program wrote
 */
export interface ServerRecord {
  readonly pid: number;
  readonly url: string;
  readonly publicUrl: string;
  readonly port: number;
  readonly database: string;
  readonly publicKey: string;
  readonly startedAt: string;
  readonly version: string;
  readonly build?: string;
}

/** `silent`: the process on record runs, but no server with the recorded key answers at the recorded URL. */
export type LocalServer =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'running'; readonly record: ServerRecord }
  | { readonly kind: 'silent'; readonly record: ServerRecord };

const recordPath = (paths: Paths): string => join(paths.state, 'server.json');

/** The server holds this lock while it runs. So an installation has at most one running server. */
export const serverLock = (paths: Paths): string => join(paths.state, 'server.lock');

/**
 * Makes sure that the directories of state and data exist and are private. Then takes the server's lock and calls `work`.
 * @param whenHeld makes the failure if another process holds the lock
 */
export async function underServerLock(
  paths: Paths,
  whenHeld: (pid: number) => Failure,
  work: () => Promise<Ending>,
): Promise<Ending> {
  for (const directory of [paths.state, paths.data]) {
    const wide = ensurePrivateDirectory(directory);
    if (wide !== null) return failing(wide);
  }
  const lock = takeLock(serverLock(paths));
  if (lock.kind === 'failed') return failing(lock.failure);
  if (lock.kind === 'held') return failing(whenHeld(lock.pid));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export const writeServerRecord = (paths: Paths, record: ServerRecord): Failure | null =>
  writePrivateFile(recordPath(paths), `${JSON.stringify(record, null, 2)}\n`);

/** Removes the record, unless another process wrote it. */
export function removeServerRecord(paths: Paths): void {
  const record = readServerRecord(paths);
  if (!record.ok || record.value?.pid !== process.pid) return;
  try {
    unlinkSync(recordPath(paths));
  } catch {
    // A record that remains does no harm: after the server's process has ended, the record counts as `stopped`.
  }
}

/** Returns null if the record does not exist or is damaged. Fails if the file cannot be read. */
function readServerRecord(paths: Paths): Result<ServerRecord | null, Failure> {
  const text = readPrivateFile(recordPath(paths));
  if (!text.ok || text.value === null) return text.ok ? success(null) : text;
  try {
    const record = JSON.parse(text.value) as Partial<ServerRecord>;
    const isWhole =
      typeof record.pid === 'number' &&
      typeof record.port === 'number' &&
      [record.url, record.publicUrl, record.database, record.publicKey].every((field) => typeof field === 'string');
    return success(isWhole ? (record as ServerRecord) : null);
  } catch {
    return success(null);
  }
}

/** Finds the server. `stopped`: there is no valid record, or no running process of our program has the recorded process id. */
export async function findLocalServer(paths: Paths, timeoutMs = 3000): Promise<Result<LocalServer, Failure>> {
  const read = readServerRecord(paths);
  if (!read.ok) return read;
  const record = read.value;
  if (record === null || !isOurProcess(record.pid)) return success({ kind: 'stopped' });
  const info = await serverInfo(record.url, timeoutMs);
  const isItself = info.ok && info.value.publicKey === record.publicKey;
  return success({ kind: isItself ? 'running' : 'silent', record });
}

export const silentServer = ({ pid, url }: ServerRecord): Failure =>
  failure('unavailable', `pid ${pid} does not answer at ${url}`, 'apes down, then apes up');

/**
 * Whether the client uses the running server of this installation, and the database of this server is a file. Such a file is as safe as
 * the keys of this installation. Returns false if the server cannot be found.
 */
export async function isServedHere(paths: Paths, { server, identity }: TokenParts): Promise<boolean> {
  const found = await findLocalServer(paths);
  if (!found.ok || found.value.kind !== 'running') return false;
  const { url, publicKey, database } = found.value.record;
  return url === server.url && publicKey === identity.serverPublicKey && !isOnDatabaseServer(database);
}

/**
 * Fetches the info of the server at `url`. Fails as `callServer` does. Also fails with `protocol` (76) if the program that
 * answers is not a grant server.
 * @param ca as in `Server`
 */
export async function serverInfo(
  url: string,
  timeoutMs: number,
  ca: string | null = null,
): Promise<Result<ServerInfo, Failure>> {
  const server = { url, timeoutMs, ca };
  const answer = await callServer(server, { method: 'GET', path: '/v1/server' });
  if (!answer.ok) return answer;
  const info = answer.value.body as Partial<ServerInfo> | null;
  if (answer.value.status === 200 && info?.product === 'ape-shell' && typeof info.publicKey === 'string')
    return success(info as ServerInfo);
  return failed(
    malformed(server, `the program that answers there is not a grant server (HTTP ${answer.value.status})`),
  );
}
