/** Makes and compares ids and secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../platform/base32.ts';

/** Returns cryptographically strong random bytes. The parameter `bytes` says how many. */
export type Random = (bytes: number) => Uint8Array;

export type IdPrefix = 'g' | 's' | 'e' | 'p' | 'k' | 'n' | 'b';

/**
 * Makes an id of 128 random bits, which cannot be guessed. Prefixes: `g` grant, `s` subject, `e` enrolment, `p` policy, `k` passkey,
 * `n` notification channel or test notification, `b` break-glass code.
 */
export const newId = (prefix: IdPrefix, random: Random): string => `${prefix}_${base32(random(16))}`;

/** Makes a secret of 256 random bits in base64url, for a token, a session or a link. */
export const newSecret = (random: Random): string => Buffer.from(random(32)).toString('base64url');

/** Whether the texts are equal. The time of the comparison does not depend on the position of a difference. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
