/** Checks raw Ed25519 public keys. */
import { type Fault, fault } from '../core/fault.ts';

/** 2^255 - 19 (RFC 8032). */
const FIELD = 2n ** 255n - 19n;
/** The y coordinates of the eight points of small order. If such a point is the key, anyone can sign without a private key. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  FIELD - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/**
 * Returns null if three things are true: `text` is 32 bytes in canonical base64url, `y` is less than `FIELD`, and `y` is not in
 * `SMALL_ORDER_Y`. Does not check that the point is on the curve: for a point off the curve, no signature is valid.
 */
export function publicKeyFault(text: string): Fault | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== 32 || bytes.toString('base64url') !== text)
    return fault('the public key is not 32 bytes of base64url');
  const last = bytes[31] ?? 0;
  bytes[31] = last & 0x7f; // clears the sign bit of x
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  return y >= FIELD || SMALL_ORDER_Y.has(y) ? fault('the public key is not a valid Ed25519 key; make a new one') : null;
}
