/** Ed25519 keys in the forms in which an enrolment stores and sends them. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** Makes a private key, as PKCS #8 PEM. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Returns the raw public key as base64url; null if `privateKey` is not an Ed25519 key. */
export function publicKeyOf(privateKey: string): string | null {
  try {
    const key = createPrivateKey(privateKey);
    return key.asymmetricKeyType === 'ed25519' ? (createPublicKey(key).export({ format: 'jwk' }).x ?? null) : null;
  } catch {
    return null;
  }
}
