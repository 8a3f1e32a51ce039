/** A signature is valid for exactly the document that was signed: after one change anywhere in it, no host accepts the seal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstApprovers } from '../../src/core/sealed/approver-list.ts';
import { type SealableDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { Approver, Seal } from '../../src/core/wire/sealed.ts';
import { keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { verifySeal } from '../../src/platform/seal-signature.ts';
import { anyDocument, asDocument, changesOf, type Json } from '../core/sealed-arbitrary.ts';
import { assertionBy, newP256, passkeyApprover, sha256 } from './passkey-approver.ts';
import { newKey } from './server-fixture.ts';

const SERVER = 'A'.repeat(43);

const challengeOf = (document: SealableDocument): string => sha256(sealedText(document) ?? '').toString('base64url');

const p256 = newP256();
const ed25519 = newKey();
const pem = ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const KEYS: Readonly<Record<string, [Approver, (document: SealableDocument) => Seal]>> = {
  'an owner key': [
    keyApprover('owner key', ed25519.publicKey),
    (document) => sealWithKey(document, pem, ed25519.publicKey),
  ],
  'a passkey': [
    passkeyApprover(p256.publicKey),
    (document) => assertionBy(p256.privateKey, { challenge: challengeOf(document) }),
  ],
};

describe.each(Object.entries(KEYS))('a document that was signed with %s', (_, [approver, sealOf]) => {
  const list = firstApprovers(SERVER, 1, approver, 1_000);

  it('is sealed; a document that differs anywhere is not', () => {
    let changes = 0;
    fc.assert(
      fc.property(anyDocument, (document) => {
        const seal = sealOf(document);
        expect(verifySeal(document, seal, list).kind).toBe('sealed');
        for (const changed of changesOf(document as unknown as Json)) {
          expect(verifySeal(asDocument(changed), seal, list).kind).not.toBe('sealed');
          changes += 1;
        }
      }),
      { numRuns: 40 },
    );
    expect(changes).toBeGreaterThan(1_000);
  });
});
