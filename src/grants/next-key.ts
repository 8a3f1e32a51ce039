/**
 * Keeps this host's next key beside the present key until the server has accepted the next key. So this host always has the key that the
 * server knows. `keys` is the directory of this host's keys.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import { takeLock } from '../platform/lock-file.ts';
import { errorCode, readPrivateFile, syncDirectory, writePrivateFile } from '../platform/private-files.ts';
import { keyPath, nextKeyPath } from './enrolment.ts';

/** Returns the next key (PKCS #8 PEM); null if this host is not replacing its key. */
export const readNextKey = (keys: string): Result<string | null, Failure> => readPrivateFile(nextKeyPath(keys));

export const hasNextKey = (keys: string): boolean => existsSync(nextKeyPath(keys));

/** Writes the key. After this call, even a power failure does not lose the key. */
const keepNextKey = (keys: string, privateKey: string): Failure | null =>
  writePrivateFile(nextKeyPath(keys), privateKey) ?? syncDirectory(keys);

/**
 * Replaces the present key by the next key with rename(2); the old key is lost. After a failure, the key may be replaced or not. Call this
 * only within `underRotationLock`.
 */
export function takeNextKey(keys: string): Failure | null {
  try {
    renameSync(nextKeyPath(keys), keyPath(keys, 'requester'));
    return syncDirectory(keys);
  } catch (error) {
    return failure('system', `cannot replace the key in ${keys} (${errorCode(error)})`);
  }
}

/**
 * No rotation takes longer than this time, because a rotation makes only two calls to the server. So an older lock comes from a killed
 * process.
 */
const MAX_HELD_MS = 120_000;

/** Calls `work` under a lock. If this process or another process holds the lock, returns `held` and does not call `work`. */
export async function underRotationLock<T>(
  keys: string,
  work: () => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure> | 'held'> {
  const path = join(keys, 'rotation.lock');
  const taken = takeLock(path, (pid) => isRunning(pid) && ageMs(path) < MAX_HELD_MS);
  if (taken.kind === 'failed') return failed(taken.failure);
  if (taken.kind === 'held') return 'held';
  try {
    return await work();
  } finally {
    taken.release();
  }
}

/** Whether a process is replacing the key now. Also true for the lock of a killed process, until the lock is two minutes old. */
export const isRotating = (keys: string): boolean => {
  const age = ageMs(join(keys, 'rotation.lock'));
  return age >= 0 && age < MAX_HELD_MS;
};

/** Returns the age of a file; -1 if the file does not exist. */
function ageMs(path: string): number {
  try {
    return Math.max(0, systemClock.nowMs() - statSync(path).mtimeMs);
  } catch {
    return -1;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the next key (PKCS #8 PEM). If there is no next key, calls `make` and saves the new key, so that an attempt after a crash uses
 * the same key. Call this only within `underRotationLock`.
 */
export function nextKey(keys: string, make: () => string): Result<string, Failure> {
  const existing = readNextKey(keys);
  if (!existing.ok) return existing;
  if (existing.value !== null) return success(existing.value);
  const privateKey = make();
  const unsaved = keepNextKey(keys, privateKey);
  return unsaved === null ? success(privateKey) : failed(unsaved);
}
