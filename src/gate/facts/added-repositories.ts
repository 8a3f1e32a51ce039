/** Finds out whether `git add` would add a nested repository that is not in the index yet. Runs no program. */
import { dirname, join, relative } from 'node:path';
import { beginsWithDirectory } from '../../core/text/path.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import { gitPlaceOf, readSmall } from './git-place.ts';
import { entriesIn } from './match-names.ts';
import { placeOnDisk } from './place-on-disk.ts';
import { followedBy, indexBytes, isSplit } from './submodules.ts';

/** `addsRepository` reads at most this many directory entries. */
const MAX_ENTRIES = 100_000;

/**
 * Whether `git add` in the directory would add a repository; false if the directory is in no repository. Returns true if the answer is not
 * known, for one of five causes: too many entries, an unreadable directory, an unreadable file `.git`, a name that is not UTF-8, or a
 * nested repository if `followedBy` cannot read the index of the outer repository.
 * @param trees    the absolute paths that `git add` gets; empty: the whole repository
 * @param isForced whether git also adds files that `.gitignore` names (`git add -f`)
 */
export function addsRepository(directory: string, trees: readonly string[], isForced: boolean): boolean {
  const place = gitPlaceOf(directory);
  if (place === null) return placeOnDisk.repositoryOf(directory) !== null;
  const { top } = place;
  const index = indexBytes(place);
  const followed = new Set((followedBy(place, index) ?? []).map((path) => join(top, path)));
  const isIgnored = isForced ? () => false : plainlyIgnored(top, index);
  const isNew = (path: string): boolean => path !== top && kindOfPlace(join(path, '.git')) !== 'nothing';
  for (const tree of trees)
    for (let at = tree; beginsWithDirectory(at, top) && at !== top; at = dirname(at))
      if (isNew(at) && !followed.has(at)) return true;
  const waiting = (trees.length === 0 ? [top] : trees).filter((tree) => kindOfPlace(tree) !== 'file');
  const budget = { left: MAX_ENTRIES };
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (followed.has(at) || kindOfPlace(at) === 'nothing') continue;
    if (isNew(at)) return true;
    const entries = entriesIn(at, budget);
    if (entries === null) return true;
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const name = decodeUtf8(entry.name);
      if (name === null) return true;
      const path = join(at, name);
      if (path !== join(top, '.git') && !isIgnored(relative(top, path))) waiting.push(path);
    }
  }
  return false;
}

/**
 * Returns a function that reports whether git surely ignores a directory. The function takes the path of the directory, relative to `top`.
 * Uses only the plain names (`node_modules`, `/dist/`) in the `.gitignore` at the top. If that file has an exception (`!`), nothing is
 * surely ignored. Reports true only for directories at the top: no other `.gitignore` can make an exception for such a directory.
 *
 * git adds the paths of the index in spite of `.gitignore`. So a directory is not surely ignored if the index has the directory's own path
 * or a path below the directory. The index has the directory's own path if git tracked a file there and a repository has replaced the file.
 */
function plainlyIgnored(top: string, index: Buffer | null): (path: string) => boolean {
  const lines = (readSmall(join(top, '.gitignore'), false) ?? '').split('\n');
  // An index of version 4 does not contain whole names, and the names of a split index are in another file.
  const hasNames = index !== null && index.length >= 8 && index.readUInt32BE(4) <= 3 && !isSplit(index);
  if (lines.some((line) => line.startsWith('!')) || !hasNames) return () => false;
  const plain = new Set(lines.flatMap((line) => /^\/?([\w.@+-]+)\/?$/.exec(line)?.[1] ?? []));
  return (path) => plain.has(path) && !index.includes(`${path}/`) && !index.includes(`${path}\0`);
}
