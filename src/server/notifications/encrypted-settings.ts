/** Encrypts the settings of a channel for the database, because they contain tokens: with a key of the server, and bound to the channel. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../identity/secrets.ts';
import type { ServerKey } from '../identity/server-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const keyOf = (serverKey: ServerKey): Buffer => serverKey.derive('notification-settings');

/** @param owner channel and approver of these settings; they cannot be opened for others */
export function sealSettings(serverKey: ServerKey, random: Random, owner: string, settings: object): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(serverKey), nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Returns null if another server sealed the settings, or they are for another channel, or were changed. */
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
