/** Finds what a path adds to the risk of a command: for sensitive places, and for places near the root directory. */

import type { Resource, Risk } from '../effects/permission.ts';
import { isAtOrBelow } from '../files/file-operation.ts';
import { foldedParts, isInPlace, PLACE_MATCHERS, type Rise, withOriginal } from './sensitive-places.ts';

/**
 * Returns what the use of a path adds to the risk because of its name; null: nothing. The name also counts if the command uses the path as
 * a directory (`scp -r .env host:`).
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
 * @param home the home directory of the user; null: not known. To delete this directory, or a directory that contains it, is as risky as
 *             to delete a place near the root directory
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
