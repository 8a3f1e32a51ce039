/** Reads the bound variables of a command from its environment, and the directory, host and user from the operating system. */
import { statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { canonicalRequest, type EnvironmentEntry, type ExecutionRequest } from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { boundBy, shownValue } from '../core/variables/bound-variables.ts';
import { isSecret, isTooLong } from '../core/variables/secret-values.ts';
import { sha256Hex } from './digest.ts';
import { decodeUtf8 } from './utf8.ts';

/** What a grant is bound to: SHA-256 (hex) of the canonical request. */
export const fingerprintOf = (request: ExecutionRequest): string => sha256Hex(canonicalRequest(request));

/**
 * @property cwd           the directory in which the request runs, without links; absent: PWD is bound only if `boundBy` says so
 * @property isInteractive whether bash gets `-i`
 */
interface BindingPlace {
  readonly cwd?: string;
  readonly isInteractive?: boolean;
}

/**
 * Returns the variables that a request binds, sorted by name: those of `boundBy`, and PWD if it leads to `cwd` through links, because it
 * decides where `cd ..` goes. A value that is a secret, too long or not UTF-8 is bound by its digest.
 */
export function boundEntriesFor(
  environment: ReadonlyMap<string, Buffer>,
  texts: readonly string[],
  { cwd, isInteractive = false }: BindingPlace = {},
): readonly EnvironmentEntry[] {
  const isBound = boundBy(texts, isInteractive, (name) => {
    const value = environment.get(name);
    return value === undefined ? undefined : shownValue(boundEntry(name, value));
  });
  const entries: EnvironmentEntry[] = [];
  for (const [name, value] of environment)
    if (isBound(name) || (name === 'PWD' && cwd !== undefined && isOtherNameOf(cwd, value)))
      entries.push(boundEntry(name, value));
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether bash takes this value of PWD over: it is another absolute path of the same directory. */
function isOtherNameOf(cwd: string, value: Buffer): boolean {
  if (value[0] !== SLASH || value.equals(Buffer.from(cwd))) return false;
  try {
    const [here, there] = [cwd, value].map((path) => statSync(path, { bigint: true }));
    return here?.dev === there?.dev && here?.ino === there?.ino;
  } catch {
    return false;
  }
}

const SLASH = 0x2f;

/** Returns the variable as a request binds it: by its value, or by the SHA-256 (hex) of its value. */
export function boundEntry(name: string, value: Buffer): EnvironmentEntry {
  const text = decodeUtf8(value);
  return text === null || isSecret(name, text) || isTooLong(name, text)
    ? { name, value: sha256Hex(value), digest: true }
    : { name, value: text };
}

/** The real working directory; fails (71) when it is gone, (65) when its name is not UTF-8. */
export function currentDirectory(): Result<string, Failure> {
  let path: string;
  try {
    path = process.cwd();
  } catch {
    return failed(nothingRan(failure('system', 'the working directory no longer exists', 'cd to one that does')));
  }
  const unreadable = unreadableDirectory(path);
  return unreadable === null ? success(path) : failed(unreadable);
}

/**
 * Returns the failure (65) for a directory whose decoded name contains U+FFFD; null for any other directory. Decoding puts U+FFFD in place
 * of bytes that are not UTF-8, so several directories can have the same decoded name.
 */
export const unreadableDirectory = (path: string): Failure | null =>
  path.includes('\uFFFD')
    ? nothingRan(failure('unreadable', 'the name of the working directory is not UTF-8', 'work in another one'))
    : null;

let user: string | null = null;

/**
 * The name of the user of this process; `uid N` if the user database has no entry. Looked up once: a process does
 * not change its user, and the user database is slow.
 */
export function currentUser(): string {
  user ??= nameOfUser();
  return user;
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}

/** The name of this host. */
export const currentHost = (): string => hostname();
