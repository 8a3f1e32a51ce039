/** Seals by passkeys: assertions over the text of a document, in the form of Web Authentication (6.1 and 5.8.1). */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { firstApprovers, nextApprovers } from '../../src/core/sealed/approver-list.ts';
import { batchText } from '../../src/core/sealed/batch.ts';
import { MAX_IN_BATCH } from '../../src/core/sealed/batch-limits.ts';
import { policyDocument } from '../../src/core/sealed/decision-document.ts';
import { type SealableDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { Approver, ApproversDocument, DecisionDocument, Seal } from '../../src/core/wire/sealed.ts';
import { documentDigest, keyApprover, sealWithKey } from '../../src/platform/approver-key.ts';
import { passkeyHasSigned } from '../../src/platform/passkey-signature.ts';
import { verifySeal } from '../../src/platform/seal-signature.ts';
import { passkeyApprover as approver, assertionBy, type Ceremony, newP256, sha256 } from './passkey-approver.ts';

const document: DecisionDocument = {
  typ: 'ape-decision/1',
  server: 'A'.repeat(43),
  grantId: 'g_1',
  requesterId: 's_1',
  fingerprint: 'f'.repeat(64),
  host: 'box',
  decision: 'approve',
  term: { kind: 'always' },
  expiresAtMs: null,
  scope: null,
  confinement: null,
  decidedAtMs: 1_000,
  approversSequence: 1,
};

const keys = newP256();

const listWith = (one: Approver): ApproversDocument => firstApprovers('A'.repeat(43), 1, one, 1_000);

const challengeOf = (of: DecisionDocument): string => sha256(sealedText(of) ?? '').toString('base64url');

const assertion = (ceremony: Ceremony = {}): Seal =>
  assertionBy(keys.privateKey, { challenge: challengeOf(document), ...ceremony });

const verdict = (seal: Seal, list = listWith(approver(keys.publicKey)), of = document) =>
  verifySeal(of, seal, list).kind;

describe('a passkey', () => {
  it('seals with ES256, EdDSA and RS256', () => {
    expect(verdict(assertion())).toBe('sealed');
    const ed = generateKeyPairSync('ed25519');
    expect(verdict(assertion({ privateKey: ed.privateKey, hash: null }), listWith(approver(ed.publicKey)))).toBe(
      'sealed',
    );
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(verdict(assertion({ privateKey: rsa.privateKey }), listWith(approver(rsa.publicKey)))).toBe('sealed');
  });

  it.each([
    ['for another document', { challenge: challengeOf({ ...document, host: 'other' }) }],
    ['for a registration', { type: 'webauthn.create' }],
    ['on another page', { origin: 'https://grants.example.com' }],
    ['inside of another page', { crossOrigin: true }],
    ['for another relying party', { rpId: 'example.org' }],
    ['without user presence', { flags: 0x04 }],
    ['without user verification', { flags: 0x01 }],
    ['with authenticator data cut off', { length: 36 }],
    ['with another key', { privateKey: newP256().privateKey }],
  ] satisfies readonly (readonly [string, Ceremony])[])('does not seal %s', (_, ceremony) => {
    expect(verdict(assertion(ceremony))).toBe('signature');
  });

  it('does not seal with a curve that is not on the list, or with a malformed key', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect(verdict(assertion({ privateKey: other.privateKey }), listWith(approver(other.publicKey)))).toBe('signature');
    expect(verdict(assertion(), listWith(approver(keys.publicKey, { publicKey: { kty: 'EC', crv: 'P-256' } })))).toBe(
      'signature',
    );
  });

  it('seals one document: its assertion is not valid for another document or another approver', () => {
    expect(verdict(assertion())).toBe('sealed');
    expect(verdict(assertion(), undefined, { ...document, host: 'other' })).toBe('signature');
    expect(verdict(assertion(), listWith(approver(newP256().publicKey)))).toBe('signature');
    expect(verdict(assertion(), listWith(approver(keys.publicKey, { keyId: 'another' })))).toBe('unknown-approver');
  });

  it('is not accepted with client data that is not JSON', () => {
    expect(verdict({ ...assertion(), clientDataJSON: 'AAAA' } as Seal)).toBe('signature');
  });
});

describe('a signature over a batch', () => {
  const once: DecisionDocument = { ...document, term: { kind: 'once' }, expiresAtMs: 2_000 };
  const all = ['g_1', 'g_2', 'g_3'].map((grantId): DecisionDocument => ({ ...once, grantId }));
  const digestsOf = (documents: readonly SealableDocument[]): readonly string[] => documents.map(documentDigest);
  const challengeFor = (batch: readonly string[]): string => sha256(batchText(batch) ?? '').toString('base64url');
  const sealOver = (batch: readonly string[], challenge = challengeFor(batch)): Seal =>
    ({ ...assertion({ challenge }), batch }) as Seal;
  const about = (of: SealableDocument, seal: Seal, list = listWith(approver(keys.publicKey))) =>
    verifySeal(of, seal, list).kind;

  it('seals each of its decisions, and no other decision', () => {
    const seal = sealOver(digestsOf(all));
    for (const one of all) expect(about(one, seal)).toBe('sealed');
    expect(about({ ...once, grantId: 'g_4' }, seal)).toBe('batch');
    for (const member of Object.keys(once))
      expect([member, about({ ...once, [member]: 'other' } as DecisionDocument, seal)]).toEqual([member, 'batch']);
  });

  it('binds the number of decisions, their order and each digest', () => {
    const [first, second, third] = digestsOf(all) as [string, string, string];
    const { batch: _, ...signed } = sealOver([first, second, third]) as Seal & { readonly batch: unknown };
    for (const other of [
      [first, second],
      [first, third, second],
      [first, second, 'f'.repeat(64)],
      [third, first],
    ])
      expect(about(all[0] as DecisionDocument, { ...signed, batch: other } as Seal)).toBe('signature');
    expect(about(all[0] as DecisionDocument, signed as Seal)).toBe('signature');
  });

  it.each([
    ['is empty', []],
    ['has one digest', digestsOf([once])],
    ['has a digest twice', digestsOf([once, once])],
    ['is too large', Array.from({ length: MAX_IN_BATCH + 1 }, (_, at) => documentDigest({ ...once, decidedAtMs: at }))],
    ['is no list', 'all'],
    ['is null', null],
  ])('is malformed if the batch %s, although the digest is signed', (_, batch) => {
    const challenge = sha256(sealedText({ typ: 'ape-batch/1', digests: batch as string[] }) ?? '').toString(
      'base64url',
    );
    expect(about({ ...once, decidedAtMs: 1 }, sealOver(batch as never, challenge))).toBe('shape');
  });

  it('seals no wider approval, no policy and no list of approvers, even if the batch has their digests', () => {
    const list = listWith(approver(keys.publicKey));
    const rule = { conditions: { host: 'box' } } as never;
    const others: readonly SealableDocument[] = [
      { ...once, term: { kind: 'always' } },
      { ...once, term: { kind: 'timed', untilMs: 9_000 } },
      { ...once, scope: { operations: ['write'], pathPrefix: '/' } } as never,
      { ...once, scope: { kind: 'plan', parts: [] } } as never,
      policyDocument(
        { server: once.server, decidedAtMs: 1, approversSequence: 1 },
        { id: 'p', requesterId: 's_1', rule },
      ),
      nextApprovers(list, documentDigest(list), { added: keyApprover('thief', 'B'.repeat(43)) }, 2_000),
      { typ: 'ape-batch/1', digests: digestsOf(all) } as never,
    ];
    const seal = sealOver(digestsOf([...others, once]));
    expect(about(once, seal)).toBe('sealed');
    for (const other of others) expect([other.typ, about(other, seal)]).toEqual([other.typ, 'batch']);
  });

  it('is not valid over one decision, and a signature over one decision is not valid over a batch', () => {
    const [first] = all as [DecisionDocument];
    const alone = assertion({ challenge: challengeOf(first) });
    expect(about(first, alone)).toBe('sealed');
    expect(about(first, { ...alone, batch: digestsOf(all) } as Seal)).toBe('signature');
    const batch = { typ: 'ape-batch/1', digests: digestsOf(all) } as never;
    expect(about(batch, assertion({ challenge: challengeFor(digestsOf(all)) }))).toBe('sealed'); // the reader of the document refuses this type
  });

  it('is refused by a host that does not know batches, because such a host verifies it against another text', () => {
    const [first] = all as [DecisionDocument];
    const by = approver(keys.publicKey) as Extract<Approver, { kind: 'passkey' }>;
    const seal = sealOver(digestsOf(all)) as Extract<Seal, { kind: 'passkey' }>;
    expect(passkeyHasSigned(sealedText(first) ?? '', seal, by)).toBe(false); // `seal.signature`
  });

  it('exists only for passkeys: an owner key signs each decision', () => {
    const pair = generateKeyPairSync('ed25519');
    const publicKey = pair.publicKey.export({ format: 'jwk' }).x ?? '';
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const list = listWith(keyApprover('owner', publicKey));
    const seal = sealWithKey(once, pem, publicKey);
    expect(about(once, seal, list)).toBe('sealed');
    expect(about(once, { ...seal, batch: digestsOf([once, ...all]) } as Seal, list)).toBe('shape');
  });
});
