/**
 * Which sealed decisions were used on this host, and how often: one file each, a byte a use. A server that sends the same
 * decision again gets nothing run for it. The requester's own user can remove the files: against that user, who has no need
 * of a server to run something, they hold nothing.
 */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Failure, failure, nothingRan } from '../core/failure.ts';
import { idOfDocument, mostUsesOf } from '../core/sealed/document-fault.ts';
import { sealFailure } from '../core/sealed/seal-fault.ts';
import type { DecisionDocument, PolicyDocument } from '../core/wire/sealed.ts';
import { ensurePrivateDirectory, errorCode } from '../platform/private-files.ts';

const DAY_MS = 24 * 3_600_000;
const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Counts one use of each that has a number of uses; a failure when one of them is used up, or it cannot be written down. */
export function spendDecisions(
  state: string,
  documents: readonly (DecisionDocument | PolicyDocument)[],
  nowMs: number,
): Failure | null {
  const counted = documents.flatMap((document) => {
    const most = mostUsesOf(document);
    return most === null ? [] : [{ document, most }];
  });
  if (counted.length === 0) return null;
  const directory = join(state, 'used-decisions');
  const wide = ensurePrivateDirectory(directory);
  if (wide !== null) return wide;
  try {
    forgetOld(directory, nowMs);
    const isUsedUp = counted.some(({ document, most }) => !spend(directory, document, most));
    return isUsedUp ? sealFailure('used') : null;
  } catch (error) {
    const text = `cannot write down in ${directory} that a sealed decision is used (${errorCode(error)})`;
    return nothingRan(failure('audit', text, 'make room or correct the permissions'));
  }
}

/** False when it was used so often already. Of two at the same moment at most one is true: both count before they look. */
function spend(directory: string, document: DecisionDocument | PolicyDocument, most: number): boolean {
  const id = idOfDocument(document);
  if (!SAFE_ID.test(id)) return false;
  const endsAtMs = document.typ === 'ape-decision/1' ? (document.expiresAtMs ?? 0) : 0;
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(join(directory, `${id}.${endsAtMs}`), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    if (fstatSync(file).size >= most) return false;
    writeSync(file, '.');
    fsyncSync(file);
    return fstatSync(file).size <= most;
  } finally {
    closeSync(file);
  }
}

/** The name says when a decision ends by itself; a day later no clock takes it any more. 0: it has no end. */
function forgetOld(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory)) {
    const endsAtMs = Number(name.split('.')[1] ?? '0');
    if (endsAtMs > 0 && endsAtMs + DAY_MS < nowMs) unlinkSync(join(directory, name));
  }
}
