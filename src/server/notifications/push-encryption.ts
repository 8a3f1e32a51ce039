/** Encrypts a push message for the browser that subscribed (RFC 8291, which uses `aes128gcm` of RFC 8188). */
import { createCipheriv, createECDH, hkdfSync } from 'node:crypto';
import type { Random } from '../identity/secrets.ts';

const RECORD_SIZE = 4096;
const SALT_BYTES = 16;
/** An uncompressed point of P-256. */
const KEY_BYTES = 65;
/** The salt, the record size in four bytes, the length of the key in one byte, and the key (RFC 8188, 2.1). */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + KEY_BYTES;
const TAG_BYTES = 16;
/** The byte that ends the text of the last record. */
const END = Buffer.from([2]);

/** The most bytes of a text. A push service has to take 4,096 bytes. The header, the tag and the end byte are a part of these bytes. */
export const MAX_PUSH_BYTES = RECORD_SIZE - HEADER_BYTES - TAG_BYTES - END.length;

/**
 * Returns the body of the request to the push service; null if the key of the subscription is not a point of the curve.
 * @param text         at most `MAX_PUSH_BYTES` long; this function does not check the length
 * @param subscription its members are base64url
 */
export function encryptPush(
  text: Buffer,
  subscription: { readonly p256dh: string; readonly auth: string },
  random: Random,
): Buffer | null {
  const theirKey = Buffer.from(subscription.p256dh, 'base64url');
  const ours = createECDH('prime256v1');
  const ourKey = ours.generateKeys();
  const shared = sharedSecret(ours, theirKey);
  if (shared === null) return null;
  const salt = Buffer.from(random(SALT_BYTES));
  const auth = Buffer.from(subscription.auth, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirKey, ourKey]);
  const input = Buffer.from(hkdfSync('sha256', shared, auth, info, 32));
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${name}\0`, bytes));
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  const encrypted = Buffer.concat([cipher.update(text), cipher.update(END), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([salt, size, Buffer.from([ourKey.length]), ourKey, encrypted]);
}

function sharedSecret(ours: ReturnType<typeof createECDH>, theirKey: Buffer): Buffer | null {
  try {
    return ours.computeSecret(theirKey);
  } catch {
    return null;
  }
}
