/** Settings of a channel hold tokens: in the database they are encrypted, bound to their channel, with a key of the server. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../identity/secrets.ts';
import type { ServerKey } from '../identity/server-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const keyOf = (serverKey: ServerKey): Buffer => serverKey.derive('notification-settings');

/** @param owner of these settings: in the place of another they cannot be opened */
export function sealSettings(serverKey: ServerKey, random: Random, owner: string, settings: object): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(serverKey), nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Null when it was sealed by another server, for another channel, or changed. */
export function openSettings(serverKey: ServerKey, owner: string, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(serverKey), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return null;
  }
}
