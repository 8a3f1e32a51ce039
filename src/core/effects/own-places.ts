/**
 * Finds out whether a line touches the files of ape-shell itself: its keys, its settings, its record, its programs. APES_HOME and the XDG
 * variables can put these files into any directory, also into a directory that a scope covers. So the table of sensitive places does not
 * suffice.
 */

import { folded } from '../sensitive/sensitive-places.ts';
import { isAtOrBelow } from '../text/path.ts';
import type { OwnPlaceSchema } from '../wire/host-facts.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { RequiredPermission } from './assess-line.ts';
import type { Resource } from './permission.ts';

/**
 * @property path     a directory or file of this installation: its real path, or the path of a link to the directory or file
 * @property isSecret false: the place has only programs, which are harmless to read
 */
export type OwnPlace = Shape<typeof OwnPlaceSchema>;

/** Whether the place contains the path, or the path contains the place. */
export function isNearOwnPlace(path: string, place: OwnPlace): boolean {
  const [one, other] = [folded(path), folded(place.path)];
  return isAtOrBelow(one, other) || isAtOrBelow(other, one);
}

/** Returns the first path in `required` that touches a place in `own`; null if no path touches a place. */
export function touchedOwnPlace(required: readonly RequiredPermission[], own: readonly OwnPlace[]): string | null {
  if (own.length === 0) return null;
  const resources = required.flatMap(({ permission }) => permission.resources);
  return resources.find((resource) => own.some((place) => reaches(resource, place)))?.value ?? null;
}

/**
 * Whether the resource touches the place. A change of a directory above the place counts too: the command may move this directory
 * away, and the place with it.
 */
function reaches({ kind, access, value, isExact }: Resource, { path, isSecret }: OwnPlace): boolean {
  if (kind !== 'path' || access === 'contact') return false;
  const changes = access === 'write' || access === 'delete';
  if (!changes && !isSecret) return false;
  const [used, own] = [folded(value), folded(path)];
  if (isAtOrBelow(used, own)) return true;
  return (changes && isAtOrBelow(own, used)) || (!isExact && own.startsWith(used));
}
