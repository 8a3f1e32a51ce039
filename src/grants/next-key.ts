/**
 * Keeps the next key of this host beside the present one, from the moment at which the next key is made until the server has
 * answered. So this host always has the key that the server knows, the present or the next one.
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

/** When this returns, the key is on the disk, so that a host that loses power after it still has the key. */
const keepNextKey = (keys: string, privateKey: string): Failure | null =>
  writePrivateFile(nextKeyPath(keys), privateKey) ?? syncDirectory(keys);

/** Makes the next key the present one, in one step; the old key is gone. Call it only within `underRotationLock`. */
export function takeNextKey(keys: string): Failure | null {
  try {
    renameSync(nextKeyPath(keys), keyPath(keys, 'requester'));
    return syncDirectory(keys);
  } catch (error) {
    return failure('system', `cannot replace the key in ${keys} (${errorCode(error)})`);
  }
}

/** Longer than two calls to the server may take: the process that made an older lock was killed. */
const MAX_HELD_MS = 120_000;

/** Does `work` under a lock. Returns `held` if another call, of this process or of another one, is replacing the key now. */
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

export const isRotating = (keys: string): boolean => {
  const age = ageMs(join(keys, 'rotation.lock'));
  return age >= 0 && age < MAX_HELD_MS;
};

/** Returns -1 if there is no such file. */
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

/** Returns the next key, and makes it if there is none. A second attempt after a crash gets the same key and goes on with it. */
export function nextKey(keys: string, make: () => string): Result<string, Failure> {
  const existing = readNextKey(keys);
  if (!existing.ok) return existing;
  if (existing.value !== null) return success(existing.value);
  const privateKey = make();
  const unsaved = keepNextKey(keys, privateKey);
  return unsaved === null ? success(privateKey) : failed(unsaved);
}
