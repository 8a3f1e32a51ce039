/**
 * Places to write that do not exist when a line starts: the kernel's rules are about what exists. A line that makes such a
 * place itself gets the nearest directory above it that exists, as far as the approval reaches, and never more.
 */

import { beginsWithDirectory, isAtOrBelow } from '../files/file-operation.ts';
import { dangerousPlacesIn } from '../sensitive/dangerous-places.ts';
import type { AbsentPlace, Confinement } from './confinement.ts';
import { outermost } from './outermost.ts';

/**
 * @property below    as of `AbsentPlace`, for this tree alone
 * @property isNeeded something is written there, and not only deleted
 */
export interface AbsentTree extends AbsentPlace {
  readonly isNeeded: boolean;
}

/** What becomes of each place of `write`, of which trees may be parts. */
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

/** `unknown`: access is denied, or it is a link. Then it stays as it is, and the kernel side refuses it. */
export type PlaceKind = 'directory' | 'file' | 'nothing' | 'unknown';

/** The confinement as it is to be put on now. Dangerous places in a directory that is given instead are kept read-only too. */
export function settleAbsent(confinement: Confinement, kindOf: (path: string) => PlaceKind): Confinement {
  const { absent = [], ...rest } = confinement;
  const missing = absent.filter(({ path }) => kindOf(path) === 'nothing');
  if (missing.length === 0) return rest;
  const instead = missing.map((place) => ({ place, given: givenFor(place, kindOf) }));
  const isLeft = (path: string): boolean => instead.every(({ place, given }) => place.path !== path || given === null);
  const given = instead.flatMap((each) => each.given ?? []);
  const write = outermost([...rest.write.filter(isLeft), ...given]);
  const kept = given
    .flatMap(dangerousPlacesIn)
    .filter((place) => !rest.write.some((written) => beginsWithDirectory(written, place)));
  return { ...rest, write, readOnly: [...new Set([...rest.readOnly, ...kept])].sort() };
}

/** Null: the place stays as it is, and is refused. An empty list: nothing can be made there. */
function givenFor({ path, below }: AbsentPlace, kindOf: (path: string) => PlaceKind): readonly string[] | null {
  if (below === null) return [];
  for (let at = parentOf(path); isAtOrBelow(at, below); at = parentOf(at)) {
    const kind = kindOf(at);
    if (kind === 'directory') return [at];
    if (kind !== 'nothing') return kind === 'file' ? [] : null;
  }
  return null;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
