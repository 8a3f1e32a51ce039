/** Ids, secrets, and the hashes they are stored by. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** @param bytes how many; cryptographically strong */
export type Random = (bytes: number) => Uint8Array;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Lower-case base32 without padding (RFC 4648): 16 bytes become 26 characters. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32.charAt((held << (5 - bits)) & 31);
}

export type IdPrefix = 'g' | 's' | 'e' | 'p';

/** `g_…` a grant, `s_…` a subject, `e_…` an enrolment: 128 random bits nobody guesses. */
export const newId = (prefix: IdPrefix, random: Random): string => `${prefix}_${base32(random(16))}`;

/** 256 random bits, base64url: a token, a session, a link. */
export const newSecret = (random: Random): string => Buffer.from(random(32)).toString('base64url');

export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** Takes the same time wherever two texts differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
