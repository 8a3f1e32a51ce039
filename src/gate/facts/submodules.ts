/**
 * Finds the repositories that git follows inside another repository: submodules, and other repositories that the index names.
 * `git status` in the outer repository also reads the settings of the inner repositories. Settings can name programs to run. So a
 * confined line must not change `.git` of an inner repository.
 */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Confinement } from '../../core/confinement/confinement.ts';
import { DECIDING_PARTS } from '../../core/confinement/line-confinement.ts';
import type { GitSetting } from '../../core/text/git-settings.ts';
import { beginsWithDirectory } from '../../core/text/path.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { joinedPath, walkPath } from '../../platform/path-walk.ts';
import { readIndex } from './git-index.ts';
import { type GitPlace, gitPlaceOf, isSha256, readBytes, readSmall } from './git-place.ts';
import { readGitSettings } from './git-settings-files.ts';
import { pathFrom, resolveTarget } from './real-path.ts';

/** The mode of a gitlink, gitformat-index(5). A gitlink is an index entry that names a commit of another repository. */
const FOLLOWED = 0o160000;
const FOLLOWED_BYTES = Buffer.from([0, 0, 0xe0, 0]);
/** The signature of the extension that a split index has. The entries of a split index are in another file. */
const SPLIT = 'link';

/** The most paths that are collected for one tree. If there are more paths, the whole tree stays read-only. */
const MAX_REPOSITORIES = 1_000;

/**
 * Returns the confinement with more places that stay read-only: `.git` of the followed repositories and of linked work trees, git directories
 * that are not named `.git`, and the project's files that git's settings name. A place is left out if `confinement.write` (the
 * approved paths) has a path inside the place, but not the place itself.
 *
 * A read-only mount needs an existing path. A submodule that is not checked out has no `.git`, so its empty directory stays read-only. If
 * that directory is missing, the nearest existing directory above stays read-only. But a line that runs only git may write in the directory
 * above, because git has to make the missing directory there.
 *
 * If the index or the settings of a repository cannot be read, nothing in the approved directory may be written.
 */
export function keepingSubmodules(confinement: Confinement): Confinement {
  const { write, readOnly, tools, absent = [] } = confinement;
  const isGit = tools.length > 0 && tools.every((tool) => tool === 'git');
  const mayWrite = (path: string): boolean =>
    !readOnly.includes(path) && write.some((each) => beginsWithDirectory(path, each));
  const trees = [...write, ...absent.flatMap(({ below }) => below ?? [])].filter(isDirectory);
  const found = trees.flatMap(
    (tree) => recordsBelow(tree, isGit, mayWrite)?.filter((path) => beginsWithDirectory(path, tree)) ?? tree,
  );
  const added = found.filter((path) => write.includes(path) || !write.some((each) => beginsWithDirectory(each, path)));
  return added.length === 0 ? confinement : { ...confinement, readOnly: [...new Set([...readOnly, ...added])].sort() };
}

const isDirectory = (path: string): boolean => kindOfPlace(path) === 'directory';

/**
 * Finds the repository that contains `path`, all repositories that this repository follows, and the linked work trees of all these, at any
 * depth. Returns the places that have to stay read-only: `.git` of linked work trees and of followed repositories, git directories that are
 * not `.git`, and the files that settings name. Returns null if an index or settings cannot be read, or if there are too many paths.
 * @param isGit    whether only git itself runs
 * @param mayWrite whether the line was approved to write a path
 */
function recordsBelow(path: string, isGit: boolean, mayWrite: (path: string) => boolean): readonly string[] | null {
  const place = path.endsWith('/.git') ? null : gitPlaceOf(path);
  if (place === null) return [];
  const waiting = [place];
  const found = new Set(apartFrom(place, mayWrite(join(place.top, '.git'))));
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next.directory)) continue;
    seen.add(next.directory);
    const linked = linkedWorkTrees(next);
    const named = namedBySettings(next);
    // The repositories that an index names matter only if they can be below `path`.
    const followed = areNested(next.top, path) ? followedBy(next) : [];
    if (linked === null || named === null || followed === null) return null;
    for (const kept of named) found.add(kept);
    for (const tree of linked) {
      found.add(join(tree.top, '.git'));
      waiting.push(tree);
    }
    for (const name of followed) {
      if (found.size > MAX_REPOSITORIES) return null;
      const top = join(next.top, name);
      const inner = gitPlaceOf(top);
      if (inner?.top !== top) {
        found.add(isGit ? top : nearestExisting(top));
        continue;
      }
      // A followed repository may be a linked work tree of the first repository. Here, `.git` of the first repository must
      // not become read-only.
      for (const kept of [join(top, '.git'), inner.directory, inner.common]) if (kept !== place.common) found.add(kept);
      waiting.push(inner);
    }
    if (found.size > MAX_REPOSITORIES) return null;
  }
  return [...found];
}

const areNested = (one: string, other: string): boolean =>
  beginsWithDirectory(one, other) || beginsWithDirectory(other, one);

/**
 * Returns the repository's git directories that are not `.git` of its work tree (`git init --separate-git-dir`). If the line may write the
 * repository, returns only the parts of these directories that decide which programs run.
 */
function apartFrom({ top, directory, common }: GitPlace, mayWriteRepository: boolean): readonly string[] {
  const apart = [directory, common].filter((each) => each !== join(top, '.git'));
  return mayWriteRepository ? apart.flatMap((each) => DECIDING_PARTS.map((part) => join(each, part))) : apart;
}

/** Returns the path if it exists, else the nearest existing directory above. A read-only mount there prevents the creation of the path. */
function nearestExisting(path: string): string {
  let at = path;
  while (kindOfPlace(at) === 'nothing' && at !== '/') at = dirname(at);
  return at;
}

/** Returns the linked work trees of the repository, gitrepository-layout(5). Returns null if they cannot be listed. */
function linkedWorkTrees({ common }: GitPlace): readonly GitPlace[] | null {
  const records = join(common, 'worktrees');
  if (kindOfPlace(records) === 'nothing') return [];
  let names: readonly string[];
  try {
    names = readdirSync(records);
  } catch {
    return null;
  }
  return names.flatMap((name) => {
    const directory = join(records, name);
    const record = pathFrom(directory, readSmall(join(directory, 'gitdir'))?.trim() ?? '');
    return kindOfPlace(record) === 'file' ? [{ top: dirname(record), directory, common }] : [];
  });
}

/** Keys whose value is data, by their section (git-config(1)). The same key of another section may name a program. */
const DATA: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    core: ['attributesfile', 'excludesfile', 'worktree'],
    user: ['name', 'email', 'signingkey'],
    author: ['name', 'email'],
    committer: ['name', 'email'],
    remote: ['url', 'pushurl', 'fetch'],
    submodule: ['url'],
    branch: ['merge'],
    commit: ['template'],
    blame: ['ignorerevsfile'],
  }),
);

/**
 * Whether `DATA` does not list the key in the section of the setting. Such a setting may name a program: git-config(1) has many keys for
 * programs, and the programs that git starts have more keys. The keys of `[alias]` and `[pager]` can have any name.
 */
const mayNameProgram = ({ section, key }: GitSetting): boolean => !(DATA.get(section) ?? []).includes(key);

/** Keys whose value can be a directory with programs. A directory that any other key names has only the project's data. */
const NAMES_DIRECTORY =
  /hook|fsmonitor|command|askpass|editor|pager|external|program|helper|cmd|textconv|clean|smudge|process|driver|uploadpack|receivepack|path|proxy|filter|update/i;

/** Matches a value with a path that only git knows (`~user/x`, `%(prefix)/x`), and a value that is not UTF-8. */
const NAMES_UNKNOWN = /^!?(?:~[^/]|%\()|\ufffd/;

/**
 * Returns the parts of a value that may be a path: the whole value, the texts in quotes, and the words. Also returns the parts for git
 * before 2.45, which reads each tab and carriage return as a space.
 */
const pathsIn = (value: string): readonly string[] =>
  [value, value.replace(/[\t\r]/g, ' ')]
    .flatMap((text) => [text, ...text.split(/["']/), ...(text.match(/[\w./@+~\u0080-\uffff-]+/g) ?? [])])
    .filter(mayBePath);

/** Whether the text can be a path on Linux: 1 to 4095 bytes (PATH_MAX), with names of up to 255 bytes (NAME_MAX). */
const mayBePath = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) < 4_096 && text.split('/').every((name) => Buffer.byteLength(name) <= 255);

/**
 * Returns the existing files and directories that a repository's own settings name: hooks, included settings files, programs. If a path
 * leads through a link, also returns the directory of the link. Returns null if git's settings cannot be read (`readGitSettings`), or if
 * a path in a value is not known.
 */
function namedBySettings(place: GitPlace): readonly string[] | null {
  const settings = readGitSettings([join(place.common, 'config'), join(place.directory, 'config.worktree')], homedir());
  const programs = settings?.settings.filter(mayNameProgram) ?? [];
  if (settings === null || programs.some(({ value }) => NAMES_UNKNOWN.test(value ?? ''))) return null;
  const named = programs.flatMap(({ key, value }) =>
    pathsIn(value ?? '')
      .map((path) => (path.startsWith('~/') ? joinedPath(homedir(), path.slice(2)) : joinedPath(place.top, path)))
      // In a value without a slash, a word may be an argument. A directory with the name of such a word has only the project's data, and is
      // left out.
      .filter(
        (path) =>
          key === 'hookspath' ||
          (value?.includes('/') === true && NAMES_DIRECTORY.test(key)) ||
          kindOfPlace(resolveTarget(path)) === 'file',
      ),
  );
  const hooks = join(place.common, 'hooks');
  const places = [...named, ...settings.included, ...(kindOfPlace(hooks) === 'unknown' ? [hooks] : [])]
    .map((path) => ({ path, target: resolveTarget(path) }))
    .filter(({ target }) => kindOfPlace(target) !== 'nothing');
  const targets = places.map(({ target }) => target).filter((target) => target !== place.top);
  const links = places.flatMap(({ path }) => linkDirectories(path));
  return [...targets, ...links.filter((path) => !beginsWithDirectory(path, place.common))];
}

/** Returns the directory of each link on the way along the path. A line that may write such a directory can replace the link. */
function linkDirectories(path: string): readonly string[] {
  const found: string[] = [];
  walkPath(path, (each) => {
    if (kindOfPlace(each) === 'unknown') found.push(dirname(each));
    return false;
  });
  return found;
}

/** An empty index, for a repository that has no index file yet. Its checksum is zeros, as with git's `index.skipHash`. */
const NO_INDEX = Buffer.from(`DIRC\0\0\0\x02${'\0'.repeat(4 + 20)}`, 'latin1');

/** Returns the bytes of the repository's index. Returns `NO_INDEX` if the file does not exist, and null if the file cannot be read. */
export function indexBytes({ directory }: GitPlace): Buffer | null {
  const file = join(directory, 'index');
  return kindOfPlace(file) === 'nothing' ? NO_INDEX : readBytes(file);
}

/** Whether the index has the bytes `link` and is split or unreadable. Searches the bytes first: parsing a large index is slow. */
export const isSplit = (bytes: Buffer): boolean => bytes.includes(SPLIT) && readIndex(bytes) === null;

/**
 * Returns the directories of the repositories that the index names, relative to the top of the work tree. Returns null if the index is
 * split, too large or unreadable, if the repository uses SHA-256, or if the name of one of these directories is not UTF-8.
 */
export function followedBy(place: GitPlace, bytes = indexBytes(place)): readonly string[] | null {
  if (bytes === NO_INDEX) return [];
  if (bytes === null || isSha256(place)) return null;
  // This search is fast; parsing the index of a large repository is slow.
  if (!bytes.includes(FOLLOWED_BYTES) && !bytes.includes(SPLIT)) return [];
  const followed = readIndex(bytes)?.entries.filter(({ mode }) => mode === FOLLOWED) ?? null;
  return followed === null || followed.some(({ path }) => path.includes('\ufffd'))
    ? null
    : followed.map(({ path }) => path);
}
