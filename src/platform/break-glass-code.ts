/**
 * Makes break-glass codes that can seal. Two secrets are derived from a code that can seal: a sign-in secret, and the seed of an Ed25519
 * key. The server stores the hash of the sign-in secret. The public key is on the list of approvers. At a sign-in, a page derives the same
 * secrets (`src/web/assets/break-glass.js`) and sends only the sign-in secret. The page never sends the code.
 */
import { createPrivateKey, hkdfSync, randomBytes } from 'node:crypto';
import { BASE32, base32 } from './base32.ts';
import { publicKeyOf } from './key-pair.ts';

/**
 * @property code      the text for paper: seven groups of five characters. A code that cannot seal has groups of four
 * @property publicKey raw, base64url
 */
interface SealingCode {
  readonly code: string;
  readonly signInSecret: string;
  readonly publicKey: string;
}

const SECRET_BYTES = 20;
/** The number of check characters at the end of a code. These characters show a typing error to the page before the page sends anything. */
const CHECK_CHARACTERS = 3;
const SALT = 'ape-break-glass/1';
/** The bytes before the 32-byte seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export function newSealingCode(random: (bytes: number) => Buffer = randomBytes): SealingCode {
  const secret = base32(random(SECRET_BYTES));
  const code = secret + derivedText(secret, 'check', CHECK_CHARACTERS);
  const { signInSecret, publicKey } = secretsOf(secret);
  return { code: code.replace(/(.{5})(?!$)/g, '$1-'), signInSecret, publicKey };
}

/** @param secret the first 32 characters of a code, without separators */
export function secretsOf(secret: string) {
  const privateKey = privateKeyOf(secret);
  return { signInSecret: derivedText(secret, 'sign-in', 32), privateKey, publicKey: publicKeyOf(privateKey) ?? '' };
}

/** The private key of a code, PKCS #8 PEM. */
function privateKeyOf(secret: string): string {
  const key = Buffer.concat([PKCS8_HEAD, derived(secret, 'seal', 32)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Returns a text of `length` characters, each character from five bits of one derived byte. */
const derivedText = (secret: string, purpose: string, length: number): string =>
  Array.from(derived(secret, purpose, length), (byte) => BASE32.charAt(byte & 31)).join('');

/** HKDF-SHA-256 (RFC 5869). */
const derived = (secret: string, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, SALT, purpose, bytes));
