/**
 * Batches: several decisions that an approver seals with one signature. The signature is over a document of its own type, which
 * has nothing but the digests of the decisions, so it never passes for a decision, a policy or a list of approvers.
 */
import type { BatchDocument } from '../wire/sealed.ts';
import { MAX_IN_BATCH, MIN_IN_BATCH } from './batch-limits.ts';
import { type SealableDocument, sealedText } from './sealed-text.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** Returns the text that a batch's signature signs; null if these digests are no batch. */
export function batchText(digests: readonly string[]): string | null {
  const isBatch =
    Array.isArray(digests) &&
    digests.length >= MIN_IN_BATCH &&
    digests.length <= MAX_IN_BATCH &&
    digests.every((digest) => typeof digest === 'string' && DIGEST.test(digest)) &&
    new Set(digests).size === digests.length;
  return isBatch ? sealedText({ typ: 'ape-batch/1', digests } satisfies BatchDocument) : null;
}

/**
 * Whether a document may be one of a batch: an approval of exact bytes, for one use. Whatever reaches further is sealed alone, so
 * that its approver signs nothing else with it.
 */
export const mayBeInBatch = (document: SealableDocument): boolean =>
  document.typ === 'ape-decision/1' && document.term.kind === 'once' && document.scope === null;
