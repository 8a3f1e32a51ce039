/** Looks up real paths, repositories and names in the file system as it is now. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lookups } from '../../core/effects/host-facts.ts';
import { type GitSetting, parseGitSettings } from '../../core/text/git-settings.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { statsOf } from '../../platform/stats-of.ts';
import { type GitPlace, gitPlaceOf, readSmall } from './git-place.ts';
import { hasLinksOut, sensitiveBelow } from './look-below.ts';
import { matchesOf } from './match-names.ts';
import { pathFrom, resolveItself, resolveTarget } from './real-path.ts';

export const placeOnDisk: Omit<
  Lookups,
  'home' | 'hasSearchedCd' | 'resolveName' | 'hasHooks' | 'addsRepository' | 'projectOf'
> = {
  resolvePath: (absolute, end) => (end === 'target' ? resolveTarget(absolute) : resolveItself(absolute)),
  repositoryOf,
  recordsOf,
  isBareRepository,
  hasLinksOut,
  matchesOf,
  sensitiveBelow,
};

function repositoryOf(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return null;
  }
}

/**
 * Returns the directories with git's records of the work tree that contains `directory`; empty if there is no work tree. The paths are
 * real paths, because the kernel needs real paths. Leaves out the `.git` at the top of the work tree, and each directory below another
 * directory of the result.
 */
function recordsOf(directory: string): readonly string[] {
  const place = gitPlaceOf(directory);
  if (place === null) return [];
  const own = join(resolveTarget(place.top), '.git');
  const found = [place.directory, place.common].map(resolveTarget).filter((record) => record !== own);
  return found.filter((record, at) => found.indexOf(record) === at && !found.some((other) => isInside(record, other)));
}

const isInside = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

/**
 * Whether git, started in the directory, may do one of these:
 * - It reads the settings of another repository than the nearest `.git`.
 * - It works in another work tree than the directory that contains the nearest `.git` (`core.worktree`).
 *
 * For git, a directory is a bare repository if it has HEAD, and either `commondir` or both `objects` and `refs`. If `.git` is not a
 * repository (an empty directory, a loop of links), git continues in the parent directory. So the result is also true if the nearest `.git`
 * is perhaps no repository.
 */
function isBareRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const record = join(at, '.git');
    if (mayBeGitDirectory(at)) return true;
    // If `.git` is a file that names no repository, git stops with an error.
    if (isThere(record)) return !(isFile(record) || isGitDirectory(record)) || hasOtherWorkTree(gitPlaceOf(at));
    if (at === dirname(at)) return false;
  }
}

/**
 * Whether the settings may name another work tree than `place.top`. True also if git's settings cannot be read. Git reads
 * `core.worktree` only in the repository's own files, not in included files. In a submodule, `core.worktree` names the submodule's top.
 */
function hasOtherWorkTree(place: GitPlace | null): boolean {
  if (place === null) return false;
  const files = [join(place.common, 'config'), join(place.directory, 'config.worktree')];
  return files.some((file) => {
    const text = readSmall(file);
    if (text === null) return kindOfPlace(file) !== 'nothing';
    return parseGitSettings(text)?.some((setting) => isWorkTree(setting) && !namesTop(setting, place)) ?? true;
  });
}

const isWorkTree = ({ section, subsection, key }: GitSetting): boolean =>
  section === 'core' && subsection === null && key === 'worktree';

const namesTop = ({ value }: GitSetting, { top, directory }: GitPlace): boolean =>
  value !== null && /^[\w./@+ -]+$/.test(value) && resolveTarget(pathFrom(directory, value)) === resolveTarget(top);

const mayBeGitDirectory = (path: string): boolean =>
  isThere(join(path, 'HEAD')) &&
  (isThere(join(path, 'commondir')) || (isThere(join(path, 'objects')) && isThere(join(path, 'refs'))));

/**
 * Whether it is certain that git accepts the directory as a repository (`is_git_directory` in git's setup.c) and reads the settings in this
 * directory. With a file `commondir`, git reads the settings of another directory instead.
 */
const isGitDirectory = (path: string): boolean =>
  /^(?:ref:[ \t]*refs\/\S+|[0-9a-f]{40}(?:[0-9a-f]{24})?)\s*$/.test(readSmall(join(path, 'HEAD'), false) ?? '') &&
  ['objects', 'refs'].every((name) => statsOf(join(path, name))?.isDirectory() === true) &&
  !isThere(join(path, 'commondir'));

const isThere = (path: string): boolean => statsOf(path) !== null;
const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;
