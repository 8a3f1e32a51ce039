/** Finds a git repository and reads its refs. Runs no program, and opens only git's own files. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parseGitSettings } from '../../core/text/git-settings.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { pathFrom } from './real-path.ts';

/**
 * @property top       the top directory of the work tree
 * @property directory git's directory for this work tree; contains HEAD and index
 * @property common    git's directory for all work trees of the repository; contains refs, packed-refs and logs
 */
export interface GitPlace {
  readonly top: string;
  readonly directory: string;
  readonly common: string;
}

/** Larger files are not read. */
const MAX_BYTES = 32 * 1_048_576;

/**
 * Finds the repository that contains the directory `start`. Returns null if there is no repository. Also returns null if `.git` is a file
 * that cannot be read or does not begin with `gitdir: DIRECTORY`. Does not check the contents of DIRECTORY or of a directory `.git`.
 */
export function gitPlaceOf(start: string): GitPlace | null {
  for (let top = start; ; top = dirname(top)) {
    const found = placeAt(top);
    if (found !== 'none') return found;
    if (top === dirname(top)) return null;
  }
}

function placeAt(top: string): GitPlace | 'none' | null {
  const path = join(top, '.git');
  const kind = kindOfPlace(path);
  if (kind === 'nothing') return 'none';
  // A symbolic link, or a path for which lstat(2) fails, counts as a directory. The functions that read the files in it handle the errors.
  if (kind !== 'file') return { top, directory: path, common: path };
  const [, named] = /^gitdir: (.+?)[\r\n]*$/s.exec(readSmall(path) ?? '') ?? [];
  if (named === undefined) return null;
  const directory = pathFrom(top, named);
  // Git strips only CR and LF from the end. A trailing blank belongs to the path.
  const common = readSmall(join(directory, 'commondir'))?.replace(/[\r\n]+$/, '');
  return { top, directory, common: common === undefined ? directory : pathFrom(directory, common) };
}

/**
 * Returns a regular file's text; null for anything else, or if the file is too large or cannot be read. Opening a FIFO does not wait
 * for a writer.
 * @param isFollowing whether to follow a symbolic link at the end of the path; false: returns null for such a link
 */
export const readSmall = (path: string, isFollowing = true): string | null =>
  readBytes(path, isFollowing)?.toString('utf8') ?? null;

/** Whether the repository possibly names its objects by SHA-256. `readIndex` cannot read the index of such a repository. */
export const isSha256 = ({ common }: GitPlace): boolean =>
  parseGitSettings(readSmall(join(common, 'config')) ?? '')?.some(
    ({ section, key, value }) => section === 'extensions' && key === 'objectformat' && value !== 'sha1',
  ) ?? true;

/** Works as `readSmall`, but does not decode the bytes. */
export function readBytes(path: string, isFollowing = true): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (isFollowing ? 0 : constants.O_NOFOLLOW));
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES) return null;
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; length < bytes.length && read !== 0; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length);
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** The prefixes that git tries for the short name of a ref, in git's order. */
const WHERE = ['', 'refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'];

/**
 * Returns the ID of the object that the name refers to. For an annotated tag, this is the ID of the tag object and not of the commit.
 * Returns a full ID unchanged. Returns null if there is no such ref, or if only git itself can resolve the name.
 */
export function resolveRef(place: GitPlace, name: string): string | null {
  if (ID.test(name)) return name;
  if (!isRefName(name) || mayBeOutsideRefs(place, name)) return null;
  for (const prefix of WHERE) {
    const found = readRef(place, prefix + name, 0);
    if (found !== null) return found;
  }
  return null;
}

const isRefName = (name: string): boolean =>
  /^[\w./@+-]+$/.test(name) && !name.includes('..') && !name.includes('@{') && !isAbsolute(name) && name !== '@';

/** Matches the name of a ref beside HEAD: `ORIG_HEAD`. */
const BESIDE_HEAD = /^[A-Z_]+$/;

/**
 * Whether git may take the name for a ref of another work tree, or for a file of git's own directory. Git prefers such a file to a branch
 * of this name. Different versions of git read the file in different directories.
 */
const mayBeOutsideRefs = ({ directory, common }: GitPlace, name: string): boolean =>
  /^(?:main-worktree|worktrees)\//.test(name) ||
  (!name.startsWith('refs/') &&
    !BESIDE_HEAD.test(name) &&
    [directory, common].some((each) => !['nothing', 'directory'].includes(kindOfPlace(join(each, name)))));

/** Matches the refs that each work tree has for itself (git-worktree(1)). */
const OF_ONE_WORK_TREE = /^refs\/(?:bisect|worktree|rewritten)\//;

function readRef(place: GitPlace, name: string, depth: number): string | null {
  if (depth > 5) return null;
  const isShared = name.startsWith('refs/') && !OF_ONE_WORK_TREE.test(name);
  if (!name.startsWith('refs/') && !BESIDE_HEAD.test(name)) return null;
  const text = readSmall(join(isShared ? place.common : place.directory, name))?.trim();
  if (text === undefined) return isShared ? packedRef(place, name) : null;
  const [, other] = /^ref: (\S+)$/.exec(text) ?? [];
  if (other !== undefined) return isRefName(other) ? readRef(place, other, depth + 1) : null;
  return ID.test(text) ? text : null;
}

function packedRef(place: GitPlace, name: string): string | null {
  const line = packedLines(place).find((each) => each.endsWith(` ${name}`));
  const id = line?.split(' ')[0] ?? '';
  return ID.test(id) ? id : null;
}

const packedLines = ({ common }: GitPlace): readonly string[] =>
  readSmall(join(common, 'packed-refs'))?.split('\n') ?? [];

/**
 * Returns the name of the branch that is checked out; null if HEAD is detached or cannot be read. Do not call this function if
 * `hasOtherRefs` is true: HEAD then names a branch that does not exist.
 */
export function currentBranch(place: GitPlace): string | null {
  const [, name] = /^ref: refs\/heads\/(\S+)\s*$/.exec(readSmall(join(place.directory, 'HEAD')) ?? '') ?? [];
  return name ?? null;
}

/** Whether the refs are in the reftable format, which this file cannot read. */
export const hasOtherRefs = ({ common }: GitPlace): boolean => kindOfPlace(join(common, 'reftable')) !== 'nothing';

/**
 * Lists the refs below `prefix`, sorted, without the prefix. Leaves out the ref HEAD directly below `prefix`. If one directory cannot be
 * listed, returns only refs from packed-refs.
 * @param prefix with a slash at its end, such as `refs/heads/`
 */
export function refsBelow(place: GitPlace, prefix: string): readonly string[] {
  const found = new Set<string>();
  for (const line of packedLines(place)) {
    const name = line.split(' ')[1] ?? '';
    if (!line.startsWith('#') && name.startsWith(prefix)) found.add(name.slice(prefix.length));
  }
  const root = join(place.common, prefix);
  try {
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) found.add(join(entry.parentPath, entry.name).slice(root.length));
  } catch {
    // If all refs are packed, the directory may be missing.
  }
  found.delete('HEAD');
  return [...found].sort();
}
