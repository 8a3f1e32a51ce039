/**
 * Counts how often each sealed decision was used on this host: one file for each, one byte for each use. So a server cannot
 * send the same decision again to run something. The files do not protect against the requester's own user, who can remove
 * them; but that user can also run programs without any server.
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
 * Counts one use of each decision. Returns null if all are counted. Fails if a decision is used up, if its part of the plan is not
 * the next one, or if the count cannot be written.
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

/**
 * Counts one use; returns false if the decision is used up. Two processes cannot both get the last use: each writes its byte
 * before it looks at the size.
 */
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

/** Whether the part of the plan that must come before was used on this host. */
function isItsTurn(directory: string, { after, endsAtMs }: SealedCount): boolean {
  if (after === null) return true;
  if (!SAFE_ID.test(after)) return false;
  return (lstatSync(join(directory, `${after}.${endsAtMs}`), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Removes the counts of decisions that ended more than a day ago: a clock that is set back by less than a day cannot revive a
 * decision. The name of a file contains the end of its decision (Unix ms); 0: no end.
 */
function forgetOld(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory)) {
    const [, end = '0'] = name.split('.');
    const endsAtMs = Number(end);
    if (endsAtMs > 0 && endsAtMs + DAY_MS < nowMs) unlinkSync(join(directory, name));
  }
}
