/** Seals by passkeys: assertions over the text of a document, in the form of Web Authentication (6.1 and 5.8.1). */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { firstApprovers } from '../../src/core/sealed/approver-list.ts';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { Approver, ApproversDocument, DecisionDocument, Seal } from '../../src/core/wire/sealed.ts';
import { verifySeal } from '../../src/platform/seal-signature.ts';

const RP_ID = 'grants.example.org';
const ORIGIN = 'https://grants.example.org';

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

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();
const newP256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keys = newP256();

const approver = (publicKey: KeyObject, more: object = {}) =>
  ({
    kind: 'passkey',
    keyId: 'credential',
    name: 'phone',
    publicKey: publicKey.export({ format: 'jwk' }),
    rpId: RP_ID,
    origins: [ORIGIN],
    ...more,
  }) as Approver;
const listWith = (one: Approver): ApproversDocument => firstApprovers('A'.repeat(43), 1, one, 1_000);

interface Ceremony {
  readonly privateKey?: KeyObject;
  readonly hash?: 'sha256' | null;
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly flags?: number;
  readonly length?: number;
}

const challengeOf = (of: DecisionDocument): string => sha256(sealedText(of) ?? '').toString('base64url');

function assertion(ceremony: Ceremony = {}): Seal {
  const { type = 'webauthn.get', challenge = challengeOf(document), origin = ORIGIN, crossOrigin = false } = ceremony;
  const { privateKey = keys.privateKey, rpId = RP_ID, flags = 0x05, hash = 'sha256' } = ceremony;
  const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  const authenticatorData = Buffer.concat([sha256(rpId), Buffer.from([flags]), Buffer.alloc(4)]).subarray(
    0,
    ceremony.length,
  );
  const signature = sign(hash, Buffer.concat([authenticatorData, sha256(clientData)]), privateKey);
  return {
    kind: 'passkey',
    keyId: 'credential',
    authenticatorData: authenticatorData.toString('base64url'),
    clientDataJSON: clientData.toString('base64url'),
    signature: signature.toString('base64url'),
  };
}

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
    ['without a person', { flags: 0x04 }],
    ['of whom the device does not know who it is', { flags: 0x01 }],
    ['with authenticator data cut off', { length: 36 }],
    ['with another key', { privateKey: newP256().privateKey }],
  ] satisfies readonly (readonly [string, Ceremony])[])('does not seal %s', (_, ceremony) => {
    expect(verdict(assertion(ceremony))).toBe('signature');
  });

  it('does not seal with a curve that is not on the list, nor with a malformed key', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect(verdict(assertion({ privateKey: other.privateKey }), listWith(approver(other.publicKey)))).toBe('signature');
    expect(verdict(assertion(), listWith(approver(keys.publicKey, { publicKey: { kty: 'EC', crv: 'P-256' } })))).toBe(
      'signature',
    );
  });

  it('seals one document: a good assertion does not fit another, nor another approver', () => {
    expect(verdict(assertion())).toBe('sealed');
    expect(verdict(assertion(), undefined, { ...document, host: 'other' })).toBe('signature');
    expect(verdict(assertion(), listWith(approver(newP256().publicKey)))).toBe('signature');
    expect(verdict(assertion(), listWith(approver(keys.publicKey, { keyId: 'another' })))).toBe('unknown-approver');
  });

  it('is not read from what is no JSON', () => {
    expect(verdict({ ...assertion(), clientDataJSON: 'AAAA' } as Seal)).toBe('signature');
  });
});
