/**
 * The next key of this host, beside the one it has, from the moment it is made until the server has answered: whichever of the two
 * the server knows, this host has it.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { systemClock } from '../platform/clock.ts';
import { takeLock } from '../platform/lock-file.ts';
import { errorCode, readPrivateFile, syncDirectory, writePrivateFile } from '../platform/private-files.ts';
import { keyPath, nextKeyPath } from './enrolment.ts';

/** PKCS #8 PEM; null when this host does not replace its key. */
export const readNextKey = (keys: string): Result<string | null, Failure> => readPrivateFile(nextKeyPath(keys));

export const hasNextKey = (keys: string): boolean => existsSync(nextKeyPath(keys));

/** When this returns, the key is on the disk: a host that loses power then still has it. */
const keepNextKey = (keys: string, privateKey: string): Failure | null =>
  writePrivateFile(nextKeyPath(keys), privateKey) ?? syncDirectory(keys);

/** The next key becomes the key, in one step; the old one is gone. Only within `underRotationLock`. */
export function takeNextKey(keys: string): Failure | null {
  try {
    renameSync(nextKeyPath(keys), keyPath(keys, 'requester'));
    return syncDirectory(keys);
  } catch (error) {
    return failure('system', `cannot replace the key in ${keys} (${errorCode(error)})`);
  }
}

/** Longer than two calls to the server may take; the holder of an older lock was killed. */
const MAX_HELD_MS = 120_000;

/** `held`: another call, of this process or of another one, replaces the key at this moment. */
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

/** -1: there is no such file. */
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

/** Returns the same key whatever is called in between: a second attempt after a crash goes on with it. */
export function nextKey(keys: string, make: () => string): Result<string, Failure> {
  const kept = readNextKey(keys);
  if (!kept.ok) return kept;
  if (kept.value !== null) return success(kept.value);
  const made = make();
  const unsaved = keepNextKey(keys, made);
  return unsaved === null ? success(made) : failed(unsaved);
}
