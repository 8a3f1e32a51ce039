/** Ed25519 keys of approvers: the identifiers of the keys, and the signatures. */
import { randomBytes, sign } from 'node:crypto';
import { type SealableDocument, sealedText } from '../core/sealed/sealed-text.ts';
import type { Approver, Seal } from '../core/wire/sealed.ts';
import { sha256Hex } from './digest.ts';

/**
 * The identifier of a key. Seals and lists of approvers contain this identifier.
 * @param publicKey raw, base64url
 */
export const keyIdOf = (publicKey: string): string => `k_${sha256Hex(`ape-key/1\n${publicKey}`).slice(0, 32)}`;

/** Makes an approver from a key, for a list of approvers. Cuts the name to 200 characters. */
export const keyApprover = (name: string, publicKey: string): Approver => ({
  kind: 'ed25519',
  keyId: keyIdOf(publicKey),
  name: name.slice(0, 200),
  publicKey,
});

/**
 * Makes an approver from the key of a break-glass code, for a list of approvers. The approver has the id of the code, not the code's name.
 * Each requester can read the list, and the code's name often says where the written code is kept.
 */
export const breakGlassApprover = (codeId: string, publicKey: string, expiresAtMs: number): Approver => ({
  kind: 'ed25519',
  keyId: keyIdOf(publicKey),
  name: `break-glass code ${codeId}`,
  publicKey,
  breakGlass: true,
  expiresAtMs,
});

/** SHA-256 (hex) of the text that an approver signs. A malformed document gets a random digest. This digest matches no document. */
export const documentDigest = (document: SealableDocument): string =>
  sha256Hex(sealedText(document) ?? randomBytes(32));

/**
 * Signs the document with an Ed25519 key. The seal of a malformed document is valid for no document.
 * @param privateKey PKCS #8 PEM
 * @param publicKey  the public key of the same pair: raw, base64url
 */
export const sealWithKey = (document: SealableDocument, privateKey: string, publicKey: string): Seal => ({
  kind: 'ed25519',
  keyId: keyIdOf(publicKey),
  signature: sign(null, Buffer.from(sealedText(document) ?? randomBytes(32)), privateKey).toString('base64url'),
});
