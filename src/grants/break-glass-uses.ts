/**
 * Records for each break-glass key the moment of the earliest decision that this host has accepted from it. A key
 * counts for the 15 minutes after that moment, and never again, even if it is still on the list of approvers. The
 * moment is in the name of an empty file, so that no process can read a half-written moment. A file is never removed,
 * because its key would then count again.
 */
import { closeSync, constants, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { endsInFirstUse } from '../core/sealed/break-glass-key.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import { ensurePrivateDirectory, errorCode, syncDirectory } from '../platform/private-files.ts';

/**
 * @property decidedAtMs the moment of a decision that has passed all other checks of this host
 * @property endsAtMs    when the approval ends by itself
 */
interface BreakGlassUse {
  readonly keyId: string;
  readonly decidedAtMs: number;
  readonly endsAtMs: number;
}

const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Records these decisions. Returns null if all of them belong to the first use of their keys; a failure if one does not, or if its
 * moment cannot be written. After a failure, some of the decisions may be recorded.
 */
export function spendBreakGlass(state: string, uses: readonly BreakGlassUse[]): Failure | null {
  if (uses.length === 0) return null;
  const directory = join(state, 'break-glass-keys');
  const wide = ensurePrivateDirectory(directory);
  if (wide !== null) return wide;
  try {
    return uses.every((use) => spend(directory, use)) ? null : sealFailure('glass-spent');
  } catch (error) {
    const text = `cannot record the first use of a break-glass key in ${directory} (${errorCode(error)})`;
    return nothingRan(failure('audit', text, 'make room or correct the permissions'));
  }
}

/**
 * Records one decision. Returns false if it does not belong to the first use of its key, if the key's id cannot be part of a file name, or
 * if the directory cannot be synced to the disk. Throws if the file cannot be written. The last comparison comes after the moment is
 * written: so if two processes use a new key at the same time, both see the earlier moment.
 */
function spend(directory: string, { keyId, decidedAtMs, endsAtMs }: BreakGlassUse): boolean {
  if (!SAFE_ID.test(keyId)) return false;
  const before = firstOf(directory, keyId);
  if (!endsInFirstUse(endsAtMs, Math.min(before, decidedAtMs))) return false;
  if (decidedAtMs < before) {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
    const file = openSync(join(directory, `${keyId}.${decidedAtMs}`), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (syncDirectory(directory) !== null) return false;
  }
  return endsInFirstUse(endsAtMs, firstOf(directory, keyId));
}

/** Returns the earliest moment at which this key has decided; Infinity: the key has not been used on this host. */
function firstOf(directory: string, keyId: string): number {
  const moments = readdirSync(directory).flatMap((name) => {
    const [key, moment] = name.split('.');
    return key === keyId ? [Number(moment)] : [];
  });
  return Math.min(...moments);
}
