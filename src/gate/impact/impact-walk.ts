/**
 * Walks directories and opens no file. Follows links that are part of a path or glob from the caller, but no other link. Does not look at
 * the mount point of a remote file system, or at paths below the mount point. The walk recognizes these paths only by their text. So a
 * link can still lead to a remote file system.
 */
import { type Dirent, lstatSync, opendirSync, type Stats, statSync } from 'node:fs';
import { hasWildcard, matchesShellGlob, textOfGlob } from '../../core/impact/pattern.ts';
import type { Target } from '../../core/impact/question.ts';
import type { Limit } from './impact-limit.ts';
import { isBelowAny } from './remote-mounts.ts';

/**
 * The state of a walk.
 * @property remote mount points of remote file systems; the walk does not enter these file systems
 * @property notes  notes for the approver about files that the walk did not see; the walk adds notes here
 * @property isBlind whether the walk missed a file or a directory. If so, a count of 0 becomes null (not known)
 * @property isCut  whether the walk stopped at its limit
 */
export interface Walk {
  readonly limit: Limit;
  readonly remote: readonly string[];
  readonly notes: Set<string>;
  isBlind: boolean;
  isCut: boolean;
}

/** Starts a walk for a new question: `limit` counts files from 0 again. */
export const startWalk = (limit: Limit, remote: readonly string[]): Walk => {
  limit.begin();
  return { limit, remote, notes: new Set(), isBlind: false, isCut: false };
};

function missOut(walk: Walk, note: string): void {
  walk.isBlind = true;
  walk.notes.add(note);
}

/**
 * Calls lstat(2) for the path. Returns null if nothing exists there, if lstat fails (no permission), or if the path is on
 * a remote file system. If lstat fails, or for a remote file system, adds a note to the walk.
 */
export const look = (path: string, walk: Walk): Stats | null => lookBy(lstatSync, path, walk);

/** As `look`, but if the path is a link, follows the link. */
export const lookThrough = (path: string, walk: Walk): Stats | null => lookBy(statSync, path, walk);

function lookBy(read: typeof lstatSync, path: string, walk: Walk): Stats | null {
  if (isBelowAny(path, walk.remote)) {
    missOut(walk, 'files on a network file system were not looked at');
    return null;
  }
  try {
    return read(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    missOut(walk, 'some paths cannot be looked at');
    return null;
  }
}

/**
 * Yields the entries of a directory, in any order. Ends early if the walk reaches its limit (`isCut`). Yields nothing and adds a note if
 * the directory is on a remote file system or cannot be opened. Adds no note if the directory does not exist.
 */
export async function* entriesOf(directory: string, walk: Walk): AsyncGenerator<Dirent> {
  if (isBelowAny(directory, walk.remote)) {
    missOut(walk, 'files on a network file system were not looked at');
    return;
  }
  let opened: ReturnType<typeof opendirSync>;
  try {
    opened = opendirSync(directory, { bufferSize: 128 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'ENOENT' && code !== 'ENOTDIR') missOut(walk, 'some directories cannot be read');
    return;
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (!(await walk.limit.more())) {
        walk.isCut = true;
        return;
      }
      yield entry;
    }
  } finally {
    opened.closeSync();
  }
}

/**
 * Returns the paths of the targets. A target that is a path stays as it is, even if it does not exist. For a glob, returns the existing
 * paths that match the glob. If the walk stopped at its limit, matches may be missing.
 */
export async function expandTargets(targets: readonly Target[], walk: Walk): Promise<readonly string[]> {
  return (await expandPlaces(targets, walk)).map(({ path }) => path);
}

/**
 * @property isThrough    as in `Target`
 * @property parentsBelow as in `Target`; null: the command deletes no parents
 */
export interface Place {
  readonly path: string;
  readonly isThrough: boolean;
  readonly parentsBelow: string | null;
}

/** Returns the paths that `expandTargets` returns, each with `isThrough` and `parentsBelow` of its target. */
export async function expandPlaces(targets: readonly Target[], walk: Walk): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (const target of targets) {
    const isThrough = target.isThrough === true;
    const paths = target.kind === 'path' ? [target.path] : await expandGlob(target.glob, isThrough, walk);
    found.push(...paths.map((path) => ({ path, isThrough, parentsBelow: target.parentsBelow ?? null })));
  }
  return found;
}

async function expandGlob(glob: string, isThrough: boolean, walk: Walk): Promise<readonly string[]> {
  let places = ['/'];
  const parts = glob.split('/').filter((name) => name !== '' && name !== '.');
  for (const [at, part] of parts.entries()) {
    const next: string[] = [];
    for (const place of places) {
      if (!hasWildcard(part)) {
        next.push(joinBelow(place, textOfGlob(part)));
        continue;
      }
      const names: string[] = [];
      for await (const { name } of entriesOf(place, walk))
        if (!(name.startsWith('.') && !part.startsWith('.')) && matchesShellGlob(part, name)) names.push(name);
      next.push(...names.sort().map((name) => joinBelow(place, name)));
    }
    places = next;
    // Before the last part of the glob, the places match only the beginning of the glob.
    if (walk.isCut && at < parts.length - 1) return [];
  }
  return places.filter((place) =>
    isThrough ? lookThrough(place, walk)?.isDirectory() === true : look(place, walk) !== null,
  );
}

export const joinBelow = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`;
