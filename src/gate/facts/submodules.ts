/**
 * The repositories that git follows inside a repository: submodules, and others that its index names. `git status` in the outer one
 * also reads their settings, which name programs. So a confined line must not change what `.git` is there.
 */
import { join } from 'node:path';
import type { Confinement } from '../../core/confinement/confinement.ts';
import { beginsWithDirectory } from '../../core/files/file-operation.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { readIndex } from './git-index.ts';
import { type GitPlace, gitPlaceOf, readBytes, readSmall } from './git-place.ts';

/** The mode of an index entry that names a commit of another repository (gitformat-index(5)). */
const FOLLOWED = 0o160000;
const FOLLOWED_BYTES = Buffer.from([0, 0, 0xe0, 0]);
/** The extension of an index whose entries are in another file. */
const SPLIT = 'link';

/** The most repositories that are looked into. */
const MAX_REPOSITORIES = 1_000;

/**
 * Adds `.git` of the followed repositories to what stays read-only, unless the line was approved to write there. Where a submodule is
 * not checked out, its empty directory stays read-only, because a mount needs a place that exists. Where it cannot be found out which
 * repositories are followed, the whole writable directory stays read-only.
 */
export function keepingSubmodules(confinement: Confinement): Confinement {
  const { write, readOnly, absent = [] } = confinement;
  const trees = [...write, ...absent.flatMap(({ below }) => below ?? [])].filter(isDirectory);
  const found = trees.flatMap((tree) => recordsBelow(tree)?.filter((path) => beginsWithDirectory(path, tree)) ?? tree);
  const added = found.filter((path) => write.includes(path) || !write.some((each) => beginsWithDirectory(each, path)));
  return added.length === 0 ? confinement : { ...confinement, readOnly: [...new Set([...readOnly, ...added])].sort() };
}

const isDirectory = (path: string): boolean => kindOfPlace(path) === 'directory';

/** What has to stay read-only of each repository that is followed in the repository around the path, at any depth; null: not known. */
function recordsBelow(path: string): readonly string[] | null {
  const place = path.endsWith('/.git') ? null : gitPlaceOf(path);
  const waiting = place === null ? [] : [place];
  const found = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const followed = followedBy(next);
    if (followed === null) return null;
    for (const name of followed) {
      const top = join(next.top, name);
      const inner = gitPlaceOf(top);
      const isCheckedOut = inner?.top === top;
      if (found.has(isCheckedOut ? join(top, '.git') : top)) continue;
      if (found.size > MAX_REPOSITORIES) return null;
      // With `git init --separate-git-dir`, the settings lie elsewhere.
      for (const kept of isCheckedOut ? [join(top, '.git'), inner.directory, inner.common] : [top]) found.add(kept);
      if (isCheckedOut) waiting.push(inner);
    }
  }
  return [...found];
}

/**
 * The directories that a repository follows by its index, relative to its top. Null if the index cannot be read: it is split, too large,
 * has names that are not UTF-8, or the repository has SHA-256.
 */
export function followedBy({ directory, common }: GitPlace): readonly string[] | null {
  const file = join(directory, 'index');
  if (kindOfPlace(file) === 'nothing') return [];
  const bytes = readBytes(file);
  if (bytes === null || /objectformat\s*=\s*"?sha256/i.test(readSmall(join(common, 'config')) ?? '')) return null;
  // A search in memory first: the index of a large repository takes long to read.
  if (!bytes.includes(FOLLOWED_BYTES) && !bytes.includes(SPLIT)) return [];
  const followed = readIndex(bytes)?.entries.filter(({ mode }) => mode === FOLLOWED) ?? null;
  return followed === null || followed.some(({ path }) => path.includes('\ufffd'))
    ? null
    : followed.map(({ path }) => path);
}
