/**
 * Writable places of a confinement that do not exist when the line starts. The kernel's rules can only name files that exist. So a line
 * that makes such a place may write in the nearest existing directory above the place, if the approval allows that (`below`).
 */

import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import { beginsWithDirectory, isAtOrBelow, parentOf } from '../text/path.ts';
import type { AbsentPlace, Confinement } from './confinement.ts';
import { outermost } from './outermost.ts';

/**
 * A directory that one command may write, and what the command may write if the directory does not exist.
 * @property below    the uppermost directory in which the command may write to make a missing tree; null: there is no such directory. The
 *                    command may also write in each directory between `below` and the tree
 * @property isNeeded false: the line may start without the tree. In this case the command only deletes there, or the command itself
 *                    reports a missing tree (mkdir without `-p`, git)
 */
export interface AbsentTree extends AbsentPlace {
  readonly isNeeded: boolean;
}

/**
 * Returns the entries of `Confinement.absent`. For each place of `write`:
 * - if trees are in the place, and no tree there is needed: an entry with `below` null
 * - else, if a tree in the place has a `below` above the place: an entry with the uppermost of these `below`
 * - else no entry: the place must exist when the line starts
 * @param write the places of `Confinement.write`; each place may contain several trees
 */
export function absentPlaces(write: readonly string[], trees: readonly AbsentTree[]): readonly AbsentPlace[] {
  return write.flatMap((path): readonly AbsentPlace[] => {
    const inside = trees.filter((tree) => beginsWithDirectory(tree.path, path));
    if (inside.length > 0 && !inside.some(({ isNeeded }) => isNeeded)) return [{ path, below: null }];
    const above = inside.flatMap(({ below }) =>
      below !== null && below !== path && beginsWithDirectory(path, below) ? below : [],
    );
    const [below] = above.sort((a, b) => a.length - b.length);
    return below === undefined ? [] : [{ path, below }];
  });
}

/**
 * `unknown`: access is denied, or the place is neither a directory nor a regular file (a link, a device). Such a place stays in the profile,
 * and our C program refuses to run the line.
 */
export type PlaceKind = 'directory' | 'file' | 'nothing' | 'unknown';

/**
 * Returns the confinement for a line that starts now. The result has no `absent`. `replacementFor` says what replaces each missing place.
 * In the directories that replace missing places, dangerous places become read-only. But a dangerous place stays writable if it is itself a
 * place of `write`.
 */
export function replaceAbsentPlaces(confinement: Confinement, kindOf: (path: string) => PlaceKind): Confinement {
  const { absent = [], ...rest } = confinement;
  const missing = absent.filter(({ path }) => kindOf(path) === 'nothing');
  if (missing.length === 0) return rest;
  const replacements = missing.map((place) => {
    const directories = replacementFor(place, kindOf);
    return { place, directories: directories?.some((each) => opensDanger(each, rest.write)) ? null : directories };
  });
  const isUnchanged = (path: string): boolean =>
    replacements.every(({ place, directories }) => place.path !== path || directories === null);
  const added = replacements.flatMap(({ directories }) => directories ?? []);
  const write = outermost([...rest.write.filter(isUnchanged), ...added]);
  const protectedPlaces = added.flatMap(dangerousPlacesIn).filter((place) => !rest.write.includes(place));
  return { ...rest, write, readOnly: [...new Set([...rest.readOnly, ...protectedPlaces])].sort() };
}

/**
 * Whether the directory has a dangerous place, and a place of `write` is below this dangerous place. Such a directory replaces no missing
 * place. Otherwise the dangerous place could not be read-only, and the line could write other files in the dangerous place too.
 */
const opensDanger = (directory: string, write: readonly string[]): boolean =>
  dangerousPlacesIn(directory).some((place) =>
    write.some((written) => written !== place && beginsWithDirectory(written, place)),
  );

/**
 * Returns what replaces a missing place:
 * - a list with one directory: the nearest existing directory above the place, at most as high as `below`
 * - an empty list: the place is left out, because `below` is null, or because a regular file is in the way
 * - null: there is no such directory, or a kind is `unknown`. The place stays in the profile, so that the C program refuses to run the line
 */
function replacementFor({ path, below }: AbsentPlace, kindOf: (path: string) => PlaceKind): readonly string[] | null {
  if (below === null) return [];
  for (let at = parentOf(path); isAtOrBelow(at, below); at = parentOf(at)) {
    const kind = kindOf(at);
    if (kind === 'directory') return [at];
    if (kind !== 'nothing') return kind === 'file' ? [] : null;
  }
  return null;
}
