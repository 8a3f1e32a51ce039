/** Checks that an approver on a given list has signed either a given document, or a batch that contains the document. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { failed, type Result, success } from '../core/result.ts';
import { approverWith } from '../core/sealed/approver-list.ts';
import { batchText, mayBeInBatch } from '../core/sealed/batch.ts';
import { type SealableDocument, sealedText } from '../core/sealed/sealed-text.ts';
import type { Approver, ApproversDocument, Seal } from '../core/wire/sealed.ts';
import { sha256Hex } from './digest.ts';
import { passkeyHasSigned } from './passkey-signature.ts';
import { publicKeyFault } from './public-key.ts';

/**
 * - `shape`: the seal or the document is malformed
 * - `unknown-approver`: the list has no approver with this key
 * - `batch`: the batch does not contain this document, or a document of this kind must not be in a batch
 * - `signature`: the signature is not valid for this text and key
 */
export type SealVerdict =
  | { readonly kind: 'sealed'; readonly by: Approver }
  | { readonly kind: 'shape' | 'unknown-approver' | 'batch' | 'signature' };

const MAX_VALID_SEALS = 512;
/** The results of `digestOf` for valid seals. `verifySeal` does not verify these seals again, for example at the next use of a grant. */
const validSeals = new Set<string>();

/** Does not check `approvers`: the caller must already trust this list. */
export function verifySeal(document: SealableDocument, seal: Seal, approvers: ApproversDocument): SealVerdict {
  const text = sealedText(document);
  if (text === null || typeof seal !== 'object' || seal === null || typeof seal.keyId !== 'string')
    return { kind: 'shape' };
  const by = approverWith(approvers, seal.keyId);
  if (by === null) return { kind: 'unknown-approver' };
  if (by.kind !== seal.kind) return { kind: 'signature' };
  const digest = digestOf(text, seal, by);
  if (!validSeals.has(digest)) {
    const signed = signedText(document, text, seal);
    if (!signed.ok) return { kind: signed.failure };
    if (!hasSigned(signed.value, seal, by)) return { kind: 'signature' };
    if (validSeals.size >= MAX_VALID_SEALS) validSeals.clear();
    validSeals.add(digest);
  }
  return { kind: 'sealed', by };
}

/** Digests the document, the seal and the approver's entry on the list. A change in one of these three changes the digest. */
const digestOf = (text: string, seal: Seal, by: Approver): string =>
  createHash('sha256')
    .update(JSON.stringify([text, seal, by]))
    .digest('base64');

/** Returns the text that must be signed: the text of the document, or the text of a batch that contains the document's digest. */
function signedText(document: SealableDocument, text: string, seal: Seal): Result<string, 'shape' | 'batch'> {
  const { batch } = seal as { readonly batch?: readonly string[] };
  if (batch === undefined) return success(text);
  const ofBatch = seal.kind === 'passkey' ? batchText(batch) : null;
  if (ofBatch === null) return failed('shape');
  return mayBeInBatch(document) && batch.includes(sha256Hex(text)) ? success(ofBatch) : failed('batch');
}

function hasSigned(text: string, seal: Seal, by: Approver): boolean {
  try {
    if (seal.kind === 'passkey') return by.kind === 'passkey' && passkeyHasSigned(text, seal, by);
    if (by.kind !== 'ed25519' || publicKeyFault(by.publicKey) !== null) return false;
    return verify(null, Buffer.from(text), ed25519(by.publicKey), Buffer.from(seal.signature, 'base64url'));
  } catch {
    return false; // a malformed key or signature
  }
}

const ed25519 = (x: string): KeyObject => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
