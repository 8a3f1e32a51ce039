/** Reads the bound variables of a command from its environment, and the directory, host and user from the operating system. */
import { statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import {
  canonicalRequest,
  type EnvironmentEntry,
  type ExecutionRequest,
  inOrderOfNames,
} from '../core/grant/request.ts';
import { failed, type Result, success } from '../core/result.ts';
import { boundBy, knownValue } from '../core/variables/bound-variables.ts';
import { isSecret, isTooLong } from '../core/variables/secret-values.ts';
import { sha256Hex } from './digest.ts';
import { decodeUtf8 } from './utf8.ts';

/** Returns the SHA-256 (hex) of the canonical request. A grant is bound to this digest. */
export const fingerprintOf = (request: ExecutionRequest): string => sha256Hex(canonicalRequest(request));

/**
 * @property cwd           the directory in which the request runs, with links resolved; absent: PWD is bound only if `boundBy` says so
 * @property isInteractive whether bash gets `-i`
 */
interface BindingPlace {
  readonly cwd?: string;
  readonly isInteractive?: boolean;
}

/**
 * Returns the variables that a request binds, sorted by name. `boundBy` names these variables. There is one more case: PWD is bound if its
 * value is another path of `cwd`, for example through a link. Such a PWD decides where `cd ..` goes. A value that is a secret, too long or
 * not UTF-8 is bound by its digest.
 */
export function boundEntriesFor(
  environment: ReadonlyMap<string, Buffer>,
  texts: readonly string[],
  { cwd, isInteractive = false }: BindingPlace = {},
): readonly EnvironmentEntry[] {
  const isBound = boundBy(texts, isInteractive, (name) => {
    const value = environment.get(name);
    return value === undefined ? undefined : knownValue(boundEntry(name, value));
  });
  const entries: EnvironmentEntry[] = [];
  for (const [name, value] of environment)
    if (isBound(name, decodeUtf8(value)) || (name === 'PWD' && cwd !== undefined && isOtherNameOf(cwd, value)))
      entries.push(boundEntry(name, value));
  return inOrderOfNames(entries);
}

/** Whether the value of PWD is another absolute path of the directory. bash keeps such a PWD. */
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

/** Returns the working directory, with links resolved. Fails if the directory is gone (71), or if its name is not UTF-8 (65). */
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
 * Returns a failure (65) if the decoded path contains U+FFFD; else null. Decoding puts U+FFFD in the place of bytes that are not UTF-8. So
 * several directories can have the same decoded path.
 */
export const unreadableDirectory = (path: string): Failure | null =>
  path.includes('\uFFFD')
    ? nothingRan(failure('unreadable', 'the name of the working directory is not UTF-8', 'work in another directory'))
    : null;

let user: string | null = null;

/**
 * Returns the name of the user of this process; `uid N` if the user database has no entry. This function keeps the name. The user database
 * is slow, and this process never changes its user.
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

export const currentHost = (): string => hostname();
