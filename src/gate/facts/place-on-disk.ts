/** Lookups in the file system as it is now: real paths, repositories and names. */
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lookups } from '../../core/effects/host-facts.ts';
import { gitPlaceOf } from './git-place.ts';
import { hasLinksOut, hiddenBelow } from './look-below.ts';
import { matchesOf } from './match-names.ts';
import { resolveItself, resolveTarget } from './real-path.ts';

export const placeOnDisk: Omit<Lookups, 'home' | 'hasSearchedCd' | 'resolveName' | 'hasHooks' | 'addsRepository'> = {
  resolvePath: (absolute, end) => (end === 'target' ? resolveTarget(absolute) : resolveItself(absolute)),
  repositoryOf,
  recordsOf,
  isBareRepository,
  hasLinksOut,
  matchesOf,
  hiddenBelow,
};

function repositoryOf(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return null;
  }
}

/** Lists git's directories that lie elsewhere than `.git`, as real paths: the kernel needs those. */
function recordsOf(directory: string): readonly string[] {
  const place = gitPlaceOf(directory);
  if (place === null) return [];
  const own = join(resolveTarget(place.top), '.git');
  const found = [place.directory, place.common].map(resolveTarget).filter((record) => record !== own);
  return found.filter((record, at) => found.indexOf(record) === at && !found.some((other) => isInside(record, other)));
}

const isInside = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

/**
 * Whether git, on its way up from the directory, would first find a bare repository: one whose directory is not called `.git`.
 * Git reads the settings in it. Git takes a directory for one if it has HEAD, and `commondir` or both `objects` and `refs`.
 */
function isBareRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (isGitDirectory(at)) return true;
    if (isGitDirectory(join(at, '.git')) || isFile(join(at, '.git')) || at === dirname(at)) return false;
  }
}

const isGitDirectory = (path: string): boolean =>
  isThere(join(path, 'HEAD')) &&
  (isThere(join(path, 'commondir')) || (isThere(join(path, 'objects')) && isThere(join(path, 'refs'))));

const isThere = (path: string): boolean => statsOf(path) !== null;
const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;

/** Returns null for every error: nothing is there, a parent is no directory, access is denied. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
