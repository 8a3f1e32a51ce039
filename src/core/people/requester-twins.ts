/**
 * Finds requesters that an approver may confuse: requesters with the same name, or with the same host and the same user. Case, the form
 * of characters (NFKC), letters that look alike, invisible characters and spaces do not count. The server cannot distinguish a host that lost its key from a host that
 * pretends to be another host. So the approver has to see all such requesters.
 */

import { latinLettersOf } from '../text/look-alikes.ts';

/** @property revokedAtMs when the requester was revoked (Unix ms); null: the requester is not revoked */
export interface NamedRequester {
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly revokedAtMs: number | null;
}

const folded = (text: string): string =>
  latinLettersOf(text)
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\s\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .toLowerCase();

const isTwin = (one: Omit<NamedRequester, 'revokedAtMs'>, other: NamedRequester): boolean =>
  other.revokedAtMs === null &&
  (folded(one.name) === folded(other.name) ||
    (folded(one.host) === folded(other.host) && folded(one.user) === folded(other.user)));

/**
 * Returns the requesters of `others` that an approver may confuse with `one`. If `others` contains `one`, the result contains it too. Leaves
 * out revoked requesters.
 */
export const twinsOf = <Other extends NamedRequester>(
  one: Omit<NamedRequester, 'revokedAtMs'>,
  others: readonly Other[],
): readonly Other[] => others.filter((other) => isTwin(one, other));
