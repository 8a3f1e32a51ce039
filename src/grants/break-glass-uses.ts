/**
 * For each break-glass key, records the time of the key's earliest decision that this host has accepted. The key is valid for the 15
 * minutes after this time, and never again, even if the key is still on the list of approvers. The time is in the name of an empty file,
 * so that no process can read a half-written time. A file is never removed: without the file, the key would be valid again.
 */
import { closeSync, constants, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { endsInFirstUse } from '../core/sealed/break-glass-key.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import { ensurePrivateDirectory, errorCode, syncDirectory } from '../platform/private-files.ts';

/**
 * @property decidedAtMs the time of a decision that has passed all other checks of this host
 * @property endsAtMs    when the approval ends by itself
 */
interface BreakGlassUse {
  readonly keyId: string;
  readonly decidedAtMs: number;
  readonly endsAtMs: number;
}

const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Records the times of these decisions. Each approval must end within the 15 minutes of its key (`endsInFirstUse`). Returns a failure in
 * two cases: an approval ends later, or a time cannot be written. After a failure, some of the times may be recorded.
 */
export function spendBreakGlass(state: string, uses: readonly BreakGlassUse[]): Failure | null {
  if (uses.length === 0) return null;
  const directory = join(state, 'break-glass-keys');
  const wide = ensurePrivateDirectory(directory);
  if (wide !== null) return wide;
  try {
    for (const use of uses) {
      const refused = spend(directory, use);
      if (refused !== null) return refused;
    }
    return null;
  } catch (error) {
    return notRecorded(`cannot record the first use of a break-glass key in ${directory} (${errorCode(error)})`);
  }
}

const notRecorded = (text: string): Failure =>
  nothingRan(failure('audit', text, 'make room or correct the permissions'));

/**
 * Records the time of one decision if that decision is the key's earliest. Throws if the file cannot be written. Returns a failure in these
 * cases:
 * - The approval does not end within the 15 minutes of its key.
 * - The key's id cannot be part of a file name.
 * - The directory cannot be synced to the disk.
 *
 * Checks the approval's end again after the file is written. If two processes use a new key at the same time, at least one process then
 * sees both times.
 */
function spend(directory: string, { keyId, decidedAtMs, endsAtMs }: BreakGlassUse): Failure | null {
  const spent = sealFailure('glass-spent');
  if (!SAFE_ID.test(keyId)) return spent;
  const before = firstOf(directory, keyId);
  if (!endsInFirstUse(endsAtMs, Math.min(before, decidedAtMs))) return spent;
  if (decidedAtMs < before) {
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
    const file = openSync(join(directory, `${keyId}.${decidedAtMs}`), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const notSynced = syncDirectory(directory);
    if (notSynced !== null) return notRecorded(notSynced.message);
  }
  return endsInFirstUse(endsAtMs, firstOf(directory, keyId)) ? null : spent;
}

/** Returns the earliest recorded time of this key; Infinity if this host has not accepted a decision of the key. */
function firstOf(directory: string, keyId: string): number {
  const moments = readdirSync(directory).flatMap((name) => {
    const [key, moment] = name.split('.');
    return key === keyId ? [Number(moment)] : [];
  });
  return Math.min(...moments);
}
