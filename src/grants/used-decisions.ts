/**
 * Counts how often each sealed decision was used on this host. So a server cannot use a decision too often. The name of a file is
 * `KEY.END`: the key of the count, and the time at which the document expires (`SealedCount`). The file has one byte for each use. The
 * requester's own user can remove the files. But this user can run programs without any server anyway.
 *
 * One grant can have several signed documents that expire at different times: several people sign the grant, or one person signs the grant
 * again after an error. The server chooses which document the host gets first. So the uses of all documents of a grant are added up.
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
 * Counts one use of each decision. Returns null if all uses are counted. Returns a failure if a decision is used up, if an earlier part
 * of the plan has to be used first, or if a count cannot be written. After a failure, some of the uses may be counted.
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
    const text = `cannot record the use of a sealed decision in ${directory} (${errorCode(error)})`;
    return nothingRan(failure('audit', text, 'make room or correct the permissions'));
  }
}

/**
 * Counts one use. Returns false if the decision is used up. Each process reads the sizes again after it has written its byte, so two
 * processes cannot both get the last use.
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

/** Returns the number of uses of all signed documents with this key. */
function usesOf(directory: string, key: string): number {
  const sizes = readdirSync(directory)
    .filter((name) => partsOf(name).key === key)
    .map((name) => lstatSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((all, size) => all + size, 0);
}

/** Returns false if another part of the plan must be used first, and this host has not used that part. */
const isItsTurn = (directory: string, { after }: SealedCount): boolean =>
  after === null || usesOf(directory, after) > 0;

/** Splits the name of a file into the key of the count and the end of the document (Unix ms; 0: no end). */
function partsOf(name: string): { readonly key: string; readonly endsAtMs: number } {
  const [key = '', end = '0'] = name.split('.');
  return { key, endsAtMs: Number(end) };
}

/**
 * Removes the counts of a decision if all its documents ended more than a day ago. A person may set the clock back by less than a day.
 * Even then, an ended decision does not become usable again.
 */
function forgetOld(directory: string, nowMs: number): void {
  const names = readdirSync(directory);
  const isOver = (endsAtMs: number) => endsAtMs > 0 && endsAtMs + DAY_MS < nowMs;
  const live = new Set(names.map(partsOf).flatMap(({ key, endsAtMs }) => (isOver(endsAtMs) ? [] : [key])));
  for (const name of names) if (!live.has(partsOf(name).key)) unlinkSync(join(directory, name));
}
