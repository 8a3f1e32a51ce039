/** The server's identity for push services (RFC 8292): a P-256 key. The P-256 key is derived from the server key, and is not stored. */
import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { ServerKey } from '../identity/server-key.ts';

/** @property publicKey the uncompressed point, base64url; browsers call it `applicationServerKey` */
export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

const TOKEN_LIFETIME_S = 12 * 3600;

export function vapidKeyOf(serverKey: ServerKey): VapidKey {
  for (let count = 0; ; count += 1) {
    const scalar = serverKey.derive(`vapid/${count}`);
    const point = pointOf(scalar);
    if (point === null) continue; // About 1 of 2^32 derived values is not a private key of the curve.
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', d: scalar.toString('base64url'), x: x ?? '', y: y ?? '' };
    return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
  }
}

function pointOf(scalar: Buffer): Buffer | null {
  const curve = createECDH('prime256v1');
  try {
    curve.setPrivateKey(scalar);
    return curve.getPublicKey();
  } catch {
    return null;
  }
}

/**
 * Makes the `Authorization` header for the push service of `endpoint`. The header is valid for 12 hours.
 * @param audience `contact`: a `https:` or `mailto:` address, as `vapidContact` returns it
 */
export function vapidAuthorization(
  { publicKey, privateKey }: VapidKey,
  audience: { readonly endpoint: string; readonly contact: string; readonly nowMs: number },
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    aud: new URL(audience.endpoint).origin,
    exp: Math.floor(audience.nowMs / 1_000) + TOKEN_LIFETIME_S,
    sub: audience.contact,
  };
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}

/**
 * Returns the contact address that a push service demands. For a public URL without https, returns a placeholder. Some services refuse the
 * placeholder.
 */
export const vapidContact = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? publicUrl : 'mailto:owner@localhost';
