/**
 * What is known about the gate in the installed version of a harness. The gate *holds* in a version if it stopped every call without a
 * grant in all test cases. If a version was never tested, we do not claim that the gate holds. *Entries* are what `apes hooks install`
 * puts into the files of the harness.
 */
import { compareVersions } from '../core/text/version-order.ts';
import type { SupportedHarness } from './harnesses.ts';

/**
 * - `absent`: the harness's program is not in PATH
 * - `does not hold`: in the last try on this host, the gate did not hold in this version, with the present entries
 * - `observed`: the gate was seen to hold in this version when this release of ape-shell was made
 * - `held`: the gate was seen to hold in this version on this host, with the present entries
 * - `too old`: the version is below the lowest version that was seen to hold
 * - `never seen`: no other kind fits, or the program does not print its version
 */
export type Standing =
  | { readonly kind: 'absent' }
  | { readonly kind: 'does not hold'; readonly version: string; readonly at: string }
  | { readonly kind: 'observed'; readonly version: string }
  | { readonly kind: 'held'; readonly version: string; readonly at: string }
  | { readonly kind: 'too old'; readonly version: string }
  | { readonly kind: 'never seen'; readonly version: string | null };

/**
 * A version that was tried on this host.
 * @property digest the digest of the entries that were installed at the time of the try
 * @property at     the day of the try, YYYY-MM-DD
 */
export interface TriedVersion {
  readonly version: string;
  readonly digest: string;
  readonly at: string;
}

/**
 * What the tries on this host have shown. `held` and `open` are never about the same version with the same entries.
 * @property held the version in which the gate was last seen to hold; null: there is no such version
 * @property open the version in which the gate was last seen not to hold; null: there is no such version
 */
export interface Tries {
  readonly held: TriedVersion | null;
  readonly open: TriedVersion | null;
}

/**
 * @param program null: the program is not in PATH
 * @param digest  the digest of the entries that are installed now
 */
export function standingOf(
  harness: SupportedHarness,
  program: { readonly version: string | null } | null,
  { held, open }: Tries,
  digest: string,
): Standing {
  if (program === null) return { kind: 'absent' };
  const { version } = program;
  if (version === null) return { kind: 'never seen', version };
  if (isTooOld(harness, version)) return { kind: 'too old', version };
  const isNow = (tried: TriedVersion | null): tried is TriedVersion =>
    tried !== null && tried.version === version && tried.digest === digest;
  if (isNow(open)) return { kind: 'does not hold', version, at: open.at };
  if (harness.observed.includes(version)) return { kind: 'observed', version };
  return isNow(held) ? { kind: 'held', version, at: held.at } : { kind: 'never seen', version };
}

const isTooOld = ({ lowest }: SupportedHarness, version: string): boolean =>
  lowest !== undefined && compareVersions(version, lowest) < 0;

/** If the version is too old, returns why it is refused and what to do. Returns null for other versions, also for untried versions. */
export const tooOldText = (harness: SupportedHarness, version: string): string | null =>
  isTooOld(harness, version)
    ? `the gate does not hold in ${harness.title} ${version}: the lowest version in which it was seen to hold is ${harness.lowest}; update ${harness.title}`
    : null;
