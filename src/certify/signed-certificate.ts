/** The file of a certificate: a JWS in flattened JSON form (RFC 7515, 7.2.2), signed with EdDSA and an Ed25519 key (RFC 8037). */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type Failure, failure } from '../core/failure.ts';
import { failed, type Result, success } from '../core/result.ts';
import { isRecord } from '../core/shape.ts';
import { isSignedBy } from '../grants/permit.ts';
import type { Certificate } from './certificate.ts';

const TYPE = 'ape-certificate/1';
const RAW_KEY = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the key with which `signCertificate` signs; null if the text is no private Ed25519 key.
 * @param text PKCS #8 PEM
 */
export function readSigningKey(text: string): KeyObject | null {
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

/**
 * Returns the text of the file.
 * @param key as `readSigningKey` returns it
 */
export function signCertificate(certificate: Certificate, key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const header = base64url({ alg: 'EdDSA', typ: TYPE, jwk: { kty: 'OKP', crv: 'Ed25519', x } });
  const payload = base64url(certificate);
  const signature = sign(null, Buffer.from(`${header}.${payload}`), key).toString('base64url');
  return `${JSON.stringify({ payload, protected: header, signature }, null, 2)}\n`;
}

/** @property key the signer's public key: raw Ed25519, base64url. The caller decides whether to trust this key. */
export interface VerifiedCertificate {
  readonly certificate: Certificate;
  readonly key: string;
}

/** Checks the signature and the shape of the certificate. The public key for this check comes from the file itself. */
export function readCertificate(text: string): Result<VerifiedCertificate, Failure> {
  const parts = objectOf(text);
  const { payload, protected: header, signature } = parts ?? {};
  if (typeof payload !== 'string' || typeof header !== 'string' || typeof signature !== 'string')
    return failed(wrong('it is not a signed report'));
  const head = decoded(header);
  const jwk = head?.['jwk'];
  const key = isRecord(jwk) ? jwk['x'] : null;
  if (head?.['alg'] !== 'EdDSA' || head['typ'] !== TYPE || typeof key !== 'string' || !RAW_KEY.test(key))
    return failed(wrong('its header is not the header of a report'));
  if (!isSignedBy(key, `${header}.${payload}`, Buffer.from(signature, 'base64url')))
    return failed(wrong('its signature does not match its content'));
  const certificate = decoded(payload);
  return certificate !== null && isCertificate(certificate)
    ? success({ certificate: certificate as unknown as Certificate, key })
    : failed(wrong('its signed content has an unknown shape'));
}

const OUTCOMES: ReadonlySet<unknown> = new Set(['holds', 'open', 'failed', 'not seen', 'n.a.']);

/** Checks all members that are printed, down to the cells. The code that prints the certificate makes no further checks. */
function isCertificate({ typ, apeShell, system, at, cases, harnesses }: Record<string, unknown>): boolean {
  if (typ !== TYPE || typeof system !== 'string' || typeof at !== 'string') return false;
  if (!isRecord(apeShell) || typeof apeShell['version'] !== 'string') return false;
  const areCases =
    Array.isArray(cases) && cases.every((each) => isRecord(each) && areTexts(each['name'], each['title']));
  return areCases && Array.isArray(harnesses) && harnesses.every((each) => isRecord(each) && isHarness(each));
}

const isHarness = ({ name, version, gate, cells, unexpected }: Record<string, unknown>): boolean =>
  areTexts(name, gate) &&
  (version === null || typeof version === 'string') &&
  Array.isArray(unexpected) &&
  areTexts(...unexpected) &&
  isRecord(cells) &&
  Object.values(cells).every(
    (cell) =>
      isRecord(cell) &&
      OUTCOMES.has(cell['outcome']) &&
      (cell['text'] === null || typeof cell['text'] === 'string') &&
      typeof cell['seconds'] === 'number',
  );

const areTexts = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string');

const wrong = (why: string): Failure => failure('protocol', `the report is refused: ${why}`);

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string): Record<string, unknown> | null => objectOf(Buffer.from(part, 'base64url').toString());

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
