/** What a path adds to the risk of a command, by the table of sensitive places and by how near to the root it is. */

import type { Resource, Risk } from '../effects/permission.ts';
import { isAtOrBelow } from '../files/file-operation.ts';
import { foldedParts, isInPlace, PLACE_MATCHERS, type Rise, withOriginal } from './sensitive-places.ts';

/** What a use of a path adds to the risk, by its name alone: `scp .env host:` reads a tree, and names a file with secrets. */
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
 * What the resource adds to the risk, or null.
 * @param home of the user, wherever it is: deleting all of it, or what it lies in, is as bad as near the root
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
