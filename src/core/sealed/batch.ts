/**
 * Batches: several decisions that an approver seals with one signature. The signed document has a separate type, `ape-batch/1`, and
 * contains only the digests of the decisions. So the signature is never valid for a single decision, a policy or a list of approvers.
 */
import type { BatchDocument } from '../wire/sealed.ts';
import { MAX_IN_BATCH, MIN_IN_BATCH } from './batch-limits.ts';
import { type SealableDocument, sealedText } from './sealed-text.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** Returns the text that an approver signs for a batch; null if these digests cannot be a batch. The order of the digests matters. */
export function batchText(digests: readonly string[]): string | null {
  const isBatch =
    Array.isArray(digests) &&
    digests.length >= MIN_IN_BATCH &&
    digests.length <= MAX_IN_BATCH &&
    digests.every((digest) => typeof digest === 'string' && DIGEST.test(digest)) &&
    new Set(digests).size === digests.length;
  return isBatch ? sealedText({ typ: 'ape-batch/1', digests } satisfies BatchDocument) : null;
}

/** Whether a document may be in a batch: only an approval of one exact request, for one use. Any other document is signed separately. */
export const mayBeInBatch = (document: SealableDocument): boolean =>
  document.typ === 'ape-decision/1' && document.term.kind === 'once' && document.scope === null;
