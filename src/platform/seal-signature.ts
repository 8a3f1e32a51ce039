/** Whether a seal is the signature, over exactly this document, of an approver on the list. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { approverWith } from '../core/sealed/approver-list.ts';
import { type SealableDocument, sealedText } from '../core/sealed/sealed-text.ts';
import type { Approver, ApproversDocument, Seal } from '../core/wire/sealed.ts';
import { passkeyHasSigned } from './passkey-signature.ts';
import { publicKeyFault } from './public-key.ts';

export type SealVerdict =
  | { readonly kind: 'sealed'; readonly by: Approver }
  | { readonly kind: 'shape' | 'unknown-approver' | 'signature' };

const KEPT = 512;
/** Digests of the seals that were found valid, with their documents and keys: a standing grant is used again and again. */
const good = new Set<string>();

export function verifySeal(document: SealableDocument, seal: Seal, approvers: ApproversDocument): SealVerdict {
  const text = sealedText(document);
  if (text === null || typeof seal !== 'object' || seal === null || typeof seal.keyId !== 'string')
    return { kind: 'shape' };
  const by = approverWith(approvers, seal.keyId);
  if (by === null) return { kind: 'unknown-approver' };
  if (by.kind !== seal.kind) return { kind: 'signature' };
  const digest = digestOf(text, seal, by);
  if (!good.has(digest)) {
    if (!hasSigned(text, seal, by)) return { kind: 'signature' };
    if (good.size >= KEPT) good.clear();
    good.add(digest);
  }
  return { kind: 'sealed', by };
}

/** Covers the document, the seal and the key on the list: a change in any of them changes the digest. */
const digestOf = (text: string, seal: Seal, by: Approver): string =>
  createHash('sha256')
    .update(JSON.stringify([text, seal, by]))
    .digest('base64');

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
