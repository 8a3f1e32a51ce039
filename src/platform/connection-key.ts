/**
 * The key of one persistent connection. Both ends agree on the key at the start, by X25519 (RFC 7748) and HKDF with SHA-256
 * (RFC 5869). The server signs both shares with its own key, so no program between the two ends can learn the connection's key. Permits on
 * the connection are JWS with HS256 (RFC 7518). HS256 takes a twentieth of the CPU time of Ed25519.
 */
import { createHmac, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';

/** @property publicKey raw X25519 public key, base64url */
export interface KeyShare {
  readonly publicKey: string;
  /** Returns the key of the connection, 32 bytes; null if the other end's share is invalid. `transcript`: see `transcriptOf`. */
  readonly agree: (otherPublicKey: string, transcript: string) => Buffer | null;
}

/** Makes a key pair for one connection. */
export function newKeyShare(): KeyShare {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return {
    publicKey: publicKey.export({ format: 'jwk' }).x ?? '',
    agree: (other, transcript) => {
      try {
        const theirs = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: other }, format: 'jwk' });
        const shared = diffieHellman({ privateKey, publicKey: theirs });
        return Buffer.from(hkdfSync('sha256', shared, transcript, 'ape-permit-mac/1', 32));
      } catch {
        return null; // also for a point of low order, with which anyone could compute the key
      }
    },
  };
}

/** The text that the server signs: its own public key, the id of the client, and the shares of both ends. */
export const transcriptOf = (between: {
  readonly serverPublicKey: string;
  readonly subjectId: string;
  readonly clientShare: string;
  readonly serverShare: string;
}): string =>
  ['ape-connection/2', between.serverPublicKey, between.subjectId, between.clientShare, between.serverShare].join('\n');

export const hs256 = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
