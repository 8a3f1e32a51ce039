/**
 * Verifies a WebAuthn assertion (Web Authentication Level 3, 7.2). The challenge is the SHA-256 of the signed text. Uses only
 * `node:crypto`: a host verifies a seal before every use of an approval, and a library would take time to load.
 */
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { Approver, Seal } from '../core/wire/sealed.ts';

type PasskeySeal = Extract<Seal, { readonly kind: 'passkey' }>;
type PasskeyApprover = Extract<Approver, { readonly kind: 'passkey' }>;

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
/** SHA-256 of the relying party's id (32 bytes), flags (1), counter (4). */
const MIN_AUTHENTICATOR_DATA_BYTES = 37;

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** Returns the challenge for the authenticator, in base64url. */
export const challengeOfText = (text: string): string => sha256(text).toString('base64url');

/**
 * Returns whether the passkey `by` has signed `text`. Returns false for an unknown kind of key. Throws if the client data is not JSON, or
 * if the key is malformed.
 */
export function passkeyHasSigned(text: string, seal: PasskeySeal, by: PasskeyApprover): boolean {
  const clientData = Buffer.from(seal.clientDataJSON, 'base64url');
  const authenticatorData = Buffer.from(seal.authenticatorData, 'base64url');
  if (!isOfThisText(clientData, text, by.origins) || !isOfThisUser(authenticatorData, by.rpId)) return false;
  const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
  return isSignedWith(by.publicKey, signed, Buffer.from(seal.signature, 'base64url'));
}

function isOfThisText(clientData: Buffer, text: string, origins: readonly string[]): boolean {
  const value = JSON.parse(clientData.toString('utf8')) as Partial<Record<string, unknown>> | null;
  return (
    value?.['type'] === 'webauthn.get' &&
    value['challenge'] === challengeOfText(text) &&
    typeof value['origin'] === 'string' &&
    origins.includes(value['origin']) &&
    value['crossOrigin'] !== true
  );
}

/** Whether the data is for the relying party `rpId`, and its flags say that the user was present and verified. */
function isOfThisUser(authenticatorData: Buffer, rpId: string): boolean {
  if (authenticatorData.length < MIN_AUTHENTICATOR_DATA_BYTES) return false;
  const flags = authenticatorData[32] ?? 0;
  const isPresent = (flags & USER_PRESENT) !== 0 && (flags & USER_VERIFIED) !== 0;
  return isPresent && authenticatorData.subarray(0, 32).equals(sha256(rpId));
}

/** The type of the key selects ES256, EdDSA or RS256 (RFC 8812, RFC 9053). False for any other type. */
function isSignedWith(publicKey: Readonly<Record<string, string>>, signed: Buffer, signature: Buffer): boolean {
  const { kty, crv } = publicKey;
  const isKnown = (kty === 'EC' && crv === 'P-256') || (kty === 'OKP' && crv === 'Ed25519') || kty === 'RSA';
  if (!isKnown) return false;
  const key = createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' });
  return verify(kty === 'OKP' ? null : 'sha256', signed, key, signature);
}
