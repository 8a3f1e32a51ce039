/**
 * Encrypts the settings of an approver's channel for the database. The settings contain tokens. The encryption key is derived from the
 * server's key.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../identity/secrets.ts';
import type { ServerKey } from '../identity/server-key.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const keyOf = (serverKey: ServerKey): Buffer => serverKey.derive('notification-settings');

/** @param binding names the channel and its approver; with another binding the settings cannot be decrypted */
export function encryptSettings(serverKey: ServerKey, random: Random, binding: string, settings: object): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(serverKey), nonce).setAAD(Buffer.from(binding));
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(settings), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
}

/** Returns the settings; null if another server encrypted them, if they have another binding, or if they were changed. */
export function decryptSettings(serverKey: ServerKey, binding: string, stored: string): unknown {
  const bytes = Buffer.from(stored, 'base64url');
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(serverKey), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(binding)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return null;
  }
}
