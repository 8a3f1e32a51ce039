/** Finds what a path adds to the risk of a command. Sensitive places and places near the root directory add to the risk. */

import type { Resource, Risk } from '../effects/permission.ts';
import { isAtOrBelow } from '../text/path.ts';
import { foldedParts, isInPlace, PLACE_MATCHERS, type Rise, withOriginal } from './sensitive-places.ts';

/**
 * Returns what the name of a path adds to the risk of a command that uses the path; null: nothing. The name counts even if the command uses
 * the path as a directory (`scp -r .env host:`).
 * @param path absolute
 */
export function sensitivityOfName(path: string, wanted: 'read' | 'write'): Rise | null {
  const named = foldedParts(path);
  const all = wanted === 'read' ? withOriginal(named) : [named];
  for (const matcher of PLACE_MATCHERS) {
    const rise = matcher.place.rises.find(({ access }) => access === wanted);
    if (rise !== undefined && all.some((parts) => isInPlace(matcher, parts))) return rise;
  }
  return null;
}

/**
 * Returns what the resource adds to the risk; null: nothing.
 * @param home the home directory of the user; null: not known. The deletion of this directory, or of a directory above it, is as risky as
 *             the deletion of a place near the root directory
 */
export function sensitivityOf(
  { kind, access, value, isExact }: Resource,
  home: string | null = null,
): { readonly risk: Risk; readonly does: string } | null {
  if (kind !== 'path' || access === 'execute' || access === 'contact') return null;
  const wanted = access === 'read' ? 'read' : 'write';
  const isNearRoot = !isExact && /^\/(?:[^/]*|(?:home|Users)\/[^/]*)$/.test(value) && value !== '/tmp';
  const holdsHome = !isExact && home !== null && isAtOrBelow(home, value);
  if ((isNearRoot || holdsHome) && access === 'delete')
    return {
      risk: 'critical',
      does: isNearRoot ? 'Deletes all that is below a place near the root.' : 'Deletes a whole home directory.',
    };
  const named = sensitivityOfName(value, wanted);
  if (named !== null) return named;
  if (!isNearRoot) return null;
  return access === 'read'
    ? { risk: 'medium', does: 'Reads all that is below a place near the root.' }
    : { risk: 'high', does: 'May change anything below a place near the root.' };
}
