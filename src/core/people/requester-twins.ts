/**
 * Finds requesters that an approver may take for each other: they have the same name, or the same host and user, apart from upper and lower
 * case and the form of characters (NFKC). To the server, a host that lost its key and a host that pretends to be another host look the same.
 * So the approver has to see all such requesters.
 */

/** @property revokedAtMs when the requester was revoked (Unix ms); null: the requester is not revoked */
export interface NamedRequester {
  readonly name: string;
  readonly host: string;
  readonly user: string;
  readonly revokedAtMs: number | null;
}

const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

const isTwin = (one: Omit<NamedRequester, 'revokedAtMs'>, other: NamedRequester): boolean =>
  other.revokedAtMs === null &&
  (folded(one.name) === folded(other.name) ||
    (folded(one.host) === folded(other.host) && folded(one.user) === folded(other.user)));

/** Returns those of `others` that are not revoked and that an approver may take for `one`; also `one` itself, if it is in `others`. */
export const twinsOf = <Other extends NamedRequester>(
  one: Omit<NamedRequester, 'revokedAtMs'>,
  others: readonly Other[],
): readonly Other[] => others.filter((other) => isTwin(one, other));
