/**
 * Finds the directories above read-only places. A confined line must not rename such a directory, but the read-only mount protects only the
 * place itself from renaming. Therefore each directory above the place is mounted over itself. The directory stays writable.
 */
import { beginsWithDirectory, isAtOrBelow, parentOf } from '../text/path.ts';
import type { PlaceKind } from './absent-places.ts';
import type { Confinement } from './confinement.ts';

/**
 * Returns the directories between each existing read-only place and the writable directory around the place. The upper directories come
 * first.
 */
export function pinnedPlaces(
  { write, readOnly }: Pick<Confinement, 'write' | 'readOnly'>,
  kindOf: (path: string) => PlaceKind,
): readonly string[] {
  const found = new Set<string>();
  for (const path of readOnly)
    for (const tree of write) {
      const above = beginsWithDirectory(path, tree) ? directoriesBetween(path, tree) : [];
      if (above.length > 0 && kindOf(path) !== 'nothing') for (const each of above) found.add(each);
    }
  return [...found].sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
}

function directoriesBetween(path: string, tree: string): readonly string[] {
  const found: string[] = [];
  for (let at = parentOf(path); at !== tree && isAtOrBelow(at, tree); at = parentOf(at)) found.push(at);
  return found;
}
