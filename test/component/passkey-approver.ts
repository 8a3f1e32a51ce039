/** An approver whose key is a P-256 passkey, and the signatures of that key, for tests of seals. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Approver, Seal } from '../../src/core/wire/sealed.ts';

export const RP_ID = 'grants.example.org';
export const ORIGIN = 'https://grants.example.org';

export const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();
export const newP256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const passkeyApprover = (publicKey: KeyObject, more: object = {}): Approver =>
  ({
    kind: 'passkey',
    keyId: 'credential',
    name: 'phone',
    publicKey: publicKey.export({ format: 'jwk' }),
    rpId: RP_ID,
    origins: [ORIGIN],
    ...more,
  }) as Approver;

/** What an authenticator and a page sign. A test may set a wrong value for each member. */
export interface Ceremony {
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

/** Signs as an authenticator does after user verification, unless the ceremony says otherwise. */
export function assertionBy(key: KeyObject, ceremony: Ceremony): Seal {
  const { type = 'webauthn.get', challenge = '', origin = ORIGIN, crossOrigin = false } = ceremony;
  const { privateKey = key, rpId = RP_ID, flags = 0x05, hash = 'sha256' } = ceremony;
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
