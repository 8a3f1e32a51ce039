/** Makes and compares ids and secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { base32 } from '../../platform/base32.ts';

/** Cryptographically strong random bytes. @param bytes how many */
export type Random = (bytes: number) => Uint8Array;

export type IdPrefix = 'g' | 's' | 'e' | 'p' | 'k' | 'n' | 'b';

/**
 * Makes an id of 128 random bits, which cannot be guessed: `g_…` a grant, `s_…` a subject, `e_…` an enrolment, `p_…` a policy,
 * `k_…` a passkey, `n_…` a channel of notifications or a test of one, `b_…` a break-glass code.
 */
export const newId = (prefix: IdPrefix, random: Random): string => `${prefix}_${base32(random(16))}`;

/** Makes a secret of 256 random bits in base64url, for a token, a session or a link. */
export const newSecret = (random: Random): string => Buffer.from(random(32)).toString('base64url');

/** Whether the texts are equal. The time that this takes does not depend on where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
