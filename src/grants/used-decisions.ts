/**
 * Which sealed decisions were used on this host, and how often: one file each, a byte a use. A server that sends the same
 * decision again gets nothing run for it. The requester's own user can remove the files: against that user, who has no need
 * of a server to run something, they hold nothing.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import type { SealedCount } from '../core/sealed/document-fault.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import { ensurePrivateDirectory, errorCode } from '../platform/private-files.ts';

const DAY_MS = 24 * 3_600_000;
const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Counts one use of each that has a number of uses; a failure when one of them is used up or comes before its turn, or it cannot be
 * written down.
 */
export function spendDecisions(state: string, counted: readonly SealedCount[], nowMs: number): Failure | null {
  if (counted.length === 0) return null;
  const directory = join(state, 'used-decisions');
  const wide = ensurePrivateDirectory(directory);
  if (wide !== null) return wide;
  try {
    forgetOld(directory, nowMs);
    if (counted.some((use) => !isItsTurn(directory, use))) return sealFailure('order');
    const isUsedUp = counted.some((use) => !spend(directory, use));
    return isUsedUp ? sealFailure('used') : null;
  } catch (error) {
    const text = `cannot write down in ${directory} that a sealed decision is used (${errorCode(error)})`;
    return nothingRan(failure('audit', text, 'make room or correct the permissions'));
  }
}

/** False when it was used so often already. Of two at the same moment at most one is true: both count before they look. */
function spend(directory: string, { key, most, endsAtMs }: SealedCount): boolean {
  if (!SAFE_ID.test(key)) return false;
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(join(directory, `${key}.${endsAtMs}`), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    if (fstatSync(file).size >= most) return false;
    writeSync(file, '.');
    fsyncSync(file);
    return fstatSync(file).size <= most;
  } finally {
    closeSync(file);
  }
}

/** Whether what it waits for was used here. */
function isItsTurn(directory: string, { after, endsAtMs }: SealedCount): boolean {
  if (after === null) return true;
  if (!SAFE_ID.test(after)) return false;
  return (lstatSync(join(directory, `${after}.${endsAtMs}`), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The name says when a decision ends by itself; a day later no clock takes it any more. 0: it has no end. */
function forgetOld(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory)) {
    const endsAtMs = Number(name.split('.')[1] ?? '0');
    if (endsAtMs > 0 && endsAtMs + DAY_MS < nowMs) unlinkSync(join(directory, name));
  }
}
