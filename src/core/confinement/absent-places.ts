/**
 * Places to write that do not exist when a line starts. The kernel's rules can only name files that exist. So a line that
 * makes such a place gets the nearest existing directory above it, if the approval reaches that directory.
 */

import { beginsWithDirectory, isAtOrBelow, parentOf } from '../files/file-operation.ts';
import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import type { AbsentPlace, Confinement } from './confinement.ts';
import { outermost } from './outermost.ts';

/**
 * @property below    as in `AbsentPlace`, for this tree alone
 * @property isNeeded whether something is written there; false: it is only deleted
 */
export interface AbsentTree extends AbsentPlace {
  readonly isNeeded: boolean;
}

/** The entries of `absent` for the places of `write`; each place may contain several of the trees. */
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

/** `unknown`: access is denied, or it is a link. The place then stays in the profile, and the C program refuses it. */
export type PlaceKind = 'directory' | 'file' | 'nothing' | 'unknown';

/**
 * Returns the confinement for a line that starts now, with directories in place of the missing places. In such a directory,
 * dangerous places are read-only.
 */
export function settleAbsent(confinement: Confinement, kindOf: (path: string) => PlaceKind): Confinement {
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

/** Returns what is given instead of a missing place. `null` means the place itself, which is then refused; an empty list means nothing. */
function replacementFor({ path, below }: AbsentPlace, kindOf: (path: string) => PlaceKind): readonly string[] | null {
  if (below === null) return [];
  for (let at = parentOf(path); isAtOrBelow(at, below); at = parentOf(at)) {
    const kind = kindOf(at);
    if (kind === 'directory') return [at];
    if (kind !== 'nothing') return kind === 'file' ? [] : null;
  }
  return null;
}
