/**
 * Writable places of a confinement that do not exist when the line starts. The kernel's rules can only name files that exist. So a line
 * that makes such a place gets the right to write in the nearest existing directory above the place, if the approval lets a command write
 * there (`below`).
 */

import { beginsWithDirectory, isAtOrBelow, parentOf } from '../files/file-operation.ts';
import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import type { AbsentPlace, Confinement } from './confinement.ts';
import { outermost } from './outermost.ts';

/**
 * A directory that one command may write, and what the command may write if the directory does not exist.
 * @property below    the uppermost directory in which the command may write to make a missing tree. The command may also write in each
 *                    directory between this one and the tree; null: there is no such directory
 * @property isNeeded false: the line may start without the tree, because the command only deletes there, or because the command itself
 *                    reports a missing tree (mkdir without `-p`, git)
 */
export interface AbsentTree extends AbsentPlace {
  readonly isNeeded: boolean;
}

/**
 * Returns the entries of `Confinement.absent`. A place that must exist when the line starts has no entry.
 * @param write the places of `Confinement.write`; each of them may contain several of the trees
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
 * Returns the confinement for a line that starts now. The nearest existing directory replaces each missing place, but no directory above
 * `below` does. In these directories, dangerous places become read-only, except those in a place of `write`.
 */
export function replaceAbsentPlaces(confinement: Confinement, kindOf: (path: string) => PlaceKind): Confinement {
  const { absent = [], ...rest } = confinement;
  const missing = absent.filter(({ path }) => kindOf(path) === 'nothing');
  if (missing.length === 0) return rest;
  const replacements = missing.map((place) => ({ place, directories: replacementFor(place, kindOf) }));
  const isUnchanged = (path: string): boolean =>
    replacements.every(({ place, directories }) => place.path !== path || directories === null);
  const added = replacements.flatMap(({ directories }) => directories ?? []);
  const write = outermost([...rest.write.filter(isUnchanged), ...added]);
  const protectedPlaces = added
    .flatMap(dangerousPlacesIn)
    .filter((place) => !rest.write.some((written) => beginsWithDirectory(written, place)));
  return { ...rest, write, readOnly: [...new Set([...rest.readOnly, ...protectedPlaces])].sort() };
}

/**
 * Returns the directories that replace a missing place. An empty list: no directory replaces it. `null`: the place itself stays in the profile,
 * so that the C program refuses to run the line.
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
