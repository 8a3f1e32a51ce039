/** Whether `git add` would make git follow a repository that it does not follow yet. Runs nothing. */
import { dirname, join, relative } from 'node:path';
import { beginsWithDirectory } from '../../core/files/file-operation.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { decodeUtf8 } from '../../platform/utf8.ts';
import { gitPlaceOf, readSmall } from './git-place.ts';
import { entriesIn } from './match-names.ts';
import { placeOnDisk } from './place-on-disk.ts';
import { followedBy, indexBytes } from './submodules.ts';

/** How many directory entries are looked at; git looks at all of them. */
const MAX_ENTRIES = 100_000;

/**
 * In doubt true: too many entries, a directory that cannot be read, a name that is not UTF-8.
 * @param trees    what is added, as absolute paths; none: the whole repository
 * @param isForced whether what `.gitignore` names is added too
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
 * Whether the `.gitignore` at the top names the directory right beside it by its name (`node_modules`, `/dist/`): another `.gitignore` cannot
 * make an exception for such a one. Of a file with exceptions (`!`), and of patterns, nothing is believed. What git follows there, it
 * adds in spite of `.gitignore`, also a repository in place of a file of this name.
 */
function plainlyIgnored(top: string, index: Buffer | null): (path: string) => boolean {
  const lines = (readSmall(join(top, '.gitignore'), false) ?? '').split('\n');
  // Version 4 of an index does not have whole names.
  if (lines.some((line) => line.startsWith('!')) || index === null || index.length < 8 || index.readUInt32BE(4) > 3)
    return () => false;
  const plain = new Set(lines.flatMap((line) => /^\/?([\w.@+-]+)\/?$/.exec(line)?.[1] ?? []));
  return (path) => plain.has(path) && !index.includes(`${path}/`) && !index.includes(`${path}\0`);
}
