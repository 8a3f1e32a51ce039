/** A seal that was found valid is not verified again, but only for the same document, the same seal and the same key on the list. */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { batchText } from '../../src/core/sealed/batch.ts';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { ApproversDocument, DecisionDocument, Seal } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover } from '../../src/platform/approver-key.ts';
import { verifySeal } from '../../src/platform/seal-signature.ts';
import { newP256, ORIGIN, passkeyApprover, RP_ID, sha256 } from './passkey-approver.ts';

const SERVER = 'A'.repeat(43);
/** The number of seals that `src/platform/seal-signature.ts` keeps. */
const KEPT = 512;

let count = 0;
/** A document that no other test has verified. */
function newDocument(more: Partial<DecisionDocument> = {}): DecisionDocument {
  count += 1;
  return {
    typ: 'ape-decision/1',
    server: SERVER,
    grantId: `g_${count}`,
    requesterId: 's_1',
    fingerprint: 'f'.repeat(64),
    host: 'box',
    decision: 'approve',
    term: { kind: 'once' },
    expiresAtMs: 2_000,
    scope: null,
    confinement: null,
    decidedAtMs: 1_000,
    approversSequence: 1,
    ...more,
  };
}

const pair = newP256();
const approver = (publicKey: KeyObject = pair.publicKey, more: object = {}) => passkeyApprover(publicKey, more);
const list = (by = approver()): ApproversDocument => firstApprovers(SERVER, 1, by, 1_000);

function sealOf(text: string): Extract<Seal, { kind: 'passkey' }> {
  const challenge = sha256(text).toString('base64url');
  const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: ORIGIN, crossOrigin: false }));
  const data = Buffer.concat([sha256(RP_ID), Buffer.from([0x05]), Buffer.alloc(4)]);
  return {
    kind: 'passkey',
    keyId: 'credential',
    authenticatorData: data.toString('base64url'),
    clientDataJSON: client.toString('base64url'),
    signature: sign('sha256', Buffer.concat([data, sha256(client)]), pair.privateKey).toString('base64url'),
  };
}
const sealOn = (document: DecisionDocument) => sealOf(sealedText(document) ?? '');

/** Counts how often the signature is read: once to look the seal up, and once more to verify it. */
function counted(seal: Seal): { readonly seal: Seal; readonly readsBy: (work: () => unknown) => number } {
  const { signature } = seal;
  let reads = 0;
  const watched = Object.defineProperty({ ...seal }, 'signature', {
    enumerable: true,
    get: () => {
      reads += 1;
      return signature;
    },
  });
  const readsBy = (work: () => unknown) => {
    const before = reads;
    work();
    return reads - before;
  };
  return { seal: watched, readsBy };
}

const LOOKED_UP = 1;
const VERIFIED = 2;
const kindOf = (document: DecisionDocument, seal: Seal, of = list()) => verifySeal(document, seal, of).kind;

describe('a seal that was verified', () => {
  it('is not verified again', () => {
    const document = newDocument();
    const { seal, readsBy } = counted(sealOn(document));
    const verify = () => expect(kindOf(document, seal)).toBe('sealed');
    expect([readsBy(verify), readsBy(verify), readsBy(verify)]).toEqual([VERIFIED, LOOKED_UP, LOOKED_UP]);
  });

  it('is not valid for another document, whichever member differs', () => {
    const document = newDocument();
    const { seal, readsBy } = counted(sealOn(document));
    expect(kindOf(document, seal)).toBe('sealed');
    for (const member of Object.keys(document)) {
      const other = { ...document, [member]: 'other' } as DecisionDocument;
      const reads = readsBy(() => expect([member, kindOf(other, seal)]).toEqual([member, 'signature']));
      expect([member, reads > 0]).toEqual([member, true]);
    }
    expect(kindOf(document, seal)).toBe('sealed');
  });

  it('does not make another seal valid, whichever member differs', () => {
    const document = newDocument();
    const seal = sealOn(document);
    const other = sealOn(newDocument());
    expect(kindOf(document, seal)).toBe('sealed');
    for (const member of ['clientDataJSON', 'signature'] as const)
      expect([member, kindOf(document, { ...seal, [member]: other[member] })]).toEqual([member, 'signature']);
    const data = Buffer.from(seal.authenticatorData, 'base64url');
    data[36] = 1; // the counter
    expect(kindOf(document, { ...seal, authenticatorData: data.toString('base64url') })).toBe('signature');
  });

  it('is not valid with another list: another key with the same id, another origin or another name of the server', () => {
    const document = newDocument();
    const seal = sealOn(document);
    expect(kindOf(document, seal)).toBe('sealed');
    expect(kindOf(document, seal, list(approver(newP256().publicKey)))).toBe('signature');
    expect(kindOf(document, seal, list(approver(undefined, { origins: ['https://other.example'] })))).toBe('signature');
    expect(kindOf(document, seal, list(approver(undefined, { rpId: 'other.example' })))).toBe('signature');
    expect(kindOf(document, seal)).toBe('sealed');
  });

  it('is attributed to the person in the list that is given', () => {
    const document = newDocument();
    const seal = sealOn(document);
    const by = (of: ApproversDocument) => {
      const verdict = verifySeal(document, seal, of);
      return verdict.kind === 'sealed' ? [verdict.by.name, verdict.by.person] : verdict.kind;
    };
    expect(by(list())).toEqual(['phone', undefined]);
    expect(by(list(approver(undefined, { name: 'tablet', person: 's_ada' })))).toEqual(['tablet', 's_ada']);
  });

  it('is not valid after its approver was removed, and is valid again when the approver is back', () => {
    const document = newDocument();
    const seal = sealOn(document);
    const first = list();
    const both = nextApprovers(first, documentDigest(first), { added: keyApprover('owner', 'B'.repeat(43)) }, 1_001);
    const without = nextApprovers(both, documentDigest(both), { removed: 'credential' }, 1_002);
    expect(kindOf(document, seal, both)).toBe('sealed');
    expect(kindOf(document, seal, without)).toBe('unknown-approver');
    expect(kindOf(document, seal, both)).toBe('sealed');
  });

  it('in a batch is not valid for another batch', () => {
    const documents = [newDocument(), newDocument(), newDocument()] as const;
    const batch = documents.map(documentDigest);
    const seal = { ...sealOf(batchText(batch) ?? ''), batch };
    for (const document of documents) expect(kindOf(document, seal)).toBe('sealed');
    const outside = newDocument();
    expect(kindOf(outside, seal)).toBe('batch');
    expect(kindOf(documents[0], { ...seal, batch: [...batch, documentDigest(outside)] })).toBe('signature');
    expect(kindOf(outside, { ...seal, batch: [...batch, documentDigest(outside)] })).toBe('signature');
    expect(kindOf(documents[0], { ...seal, batch: batch.toReversed() })).toBe('signature');
  });
});

describe('an invalid seal', () => {
  it('is verified each time, and is never found valid', () => {
    const document = newDocument();
    const { seal, readsBy } = counted({ ...sealOn(document), signature: sealOn(newDocument()).signature });
    const verify = () => expect(kindOf(document, seal)).toBe('signature');
    expect([readsBy(verify), readsBy(verify)]).toEqual([VERIFIED, VERIFIED]);
  });
});

it('the number of kept seals has a limit: after that many other seals, a seal is verified again', () => {
  const document = newDocument();
  const { seal, readsBy } = counted(sealOn(document));
  const verify = () => expect(kindOf(document, seal)).toBe('sealed');
  verify();
  expect(readsBy(verify)).toBe(LOOKED_UP);
  for (let other = 0; other < KEPT; other += 1) {
    const another = newDocument();
    expect(kindOf(another, sealOn(another))).toBe('sealed');
  }
  expect(readsBy(verify)).toBe(VERIFIED);
});

it('a key on the list seals nothing if anyone can sign for it', () => {
  const identity = Buffer.from([1, ...new Uint8Array(31)]);
  const publicKey = identity.toString('base64url');
  const signature = Buffer.concat([identity, Buffer.alloc(32)]).toString('base64url');
  const document = newDocument();
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  const text = Buffer.from(sealedText(document) ?? '');
  expect(verify(null, text, key, Buffer.from(signature, 'base64url')), 'as far as Node can see').toBe(true);
  const owner = keyApprover('owner', publicKey);
  const seal = { kind: 'ed25519', keyId: owner.keyId, signature } as const;
  expect(kindOf(document, seal, firstApprovers(SERVER, 1, owner, 1_000))).toBe('signature');
});
