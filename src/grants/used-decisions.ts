/**
 * Counts how often each sealed decision was used on this host: one byte for each use, in a file for each end. So a server cannot
 * send the same decision again to run something. The files do not protect against the requester's own user, who can remove
 * them; but that user can also run programs without any server.
 *
 * One grant can have several signed documents with different ends: several people sign it, or one person signs again after an
 * error. The server chooses which document it sends first, so the uses under all of them count together.
 */
import { closeSync, constants, fsyncSync, lstatSync, openSync, readdirSync, unlinkSync, writeSync } from 'node:fs';
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
 * before it looks at the sizes.
 */
function spend(directory: string, { key, most, endsAtMs }: SealedCount): boolean {
  if (!SAFE_ID.test(key) || usesOf(directory, key) >= most) return false;
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(join(directory, `${key}.${endsAtMs}`), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(file, '.');
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return usesOf(directory, key) <= most;
}

/** The uses under all signed documents with this key. */
function usesOf(directory: string, key: string): number {
  const sizes = readdirSync(directory)
    .filter((name) => partsOf(name).key === key)
    .map((name) => lstatSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((all, size) => all + size, 0);
}

/** Whether the part of the plan that must come before was used on this host. */
const isItsTurn = (directory: string, { after }: SealedCount): boolean =>
  after === null || usesOf(directory, after) > 0;

/** The name of a file contains the end of its decision (Unix ms); 0: no end. */
function partsOf(name: string): { readonly key: string; readonly endsAtMs: number } {
  const [key = '', end = '0'] = name.split('.');
  return { key, endsAtMs: Number(end) };
}

/**
 * Removes the counts of decisions of which every document ended more than a day ago: a clock that is set back by less than a day
 * cannot revive a decision.
 */
function forgetOld(directory: string, nowMs: number): void {
  const names = readdirSync(directory);
  const isOver = (endsAtMs: number) => endsAtMs > 0 && endsAtMs + DAY_MS < nowMs;
  const live = new Set(names.map(partsOf).flatMap(({ key, endsAtMs }) => (isOver(endsAtMs) ? [] : [key])));
  for (const name of names) if (!live.has(partsOf(name).key)) unlinkSync(join(directory, name));
}
