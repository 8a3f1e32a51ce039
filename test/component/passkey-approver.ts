/** An approver whose key is a passkey of P-256, for tests of seals. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Approver } from '../../src/core/wire/sealed.ts';

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
