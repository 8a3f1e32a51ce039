/**
 * These commands may make git follow an inner repository:
 * - `git add` of a directory that contains the repository
 * - `git commit -a`, if the repository now lies where the index has a file
 * - each command that copies files of a commit into the index, such as `git reset`
 *
 * After such a command, `git status` in the outer repository reads the settings of the inner repository. Code of the project may have
 * written these settings. The settings may name programs that git runs.
 */
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { fixedPath } from './word-meaning.ts';

export const REPOSITORY_SENTENCE =
  'May make git follow a repository that it does not follow yet. Git then runs programs that the settings of that repository name.';

/** The rule file of git says for each command that changes the index: the command writes one of these refs. */
const CHANGES_INDEX: ReadonlySet<string> = new Set(['INDEX', 'HEAD', 'refs/stash']);
/**
 * Operations that add nothing to the index. `git rm` only removes files from the index. For `git push` and `git fetch`, the resource
 * `HEAD` is a ref of a remote.
 */
const PUTS_NOTHING_IN: ReadonlySet<string> = new Set(['git rm', 'git push', 'git fetch']);

/**
 * Returns a write of `.git/modules` if the command may add an inner repository to the index; otherwise an empty list. No scope covers
 * this write. Only `git add` and `git commit` limit the addition to their operands. Other commands may add every inner repository.
 */
export function addedRepositories(call: UnderstoodCall): readonly Resource[] {
  const { tool, operation, resources, ofOperands, options, context } = call;
  const { cwd, addsRepository, resolvePath } = context;
  const isChange = resources.some(
    ({ kind, access, value }) => kind === 'ref' && access === 'write' && CHANGES_INDEX.has(value),
  );
  if (addsRepository === undefined || tool !== 'git' || !isChange || PUTS_NOTHING_IN.has(operation)) return [];
  const named = ofOperands.flatMap(({ kind, value, isExact }) => (kind === 'path' && !isExact ? value : []));
  const isCommit = operation.startsWith('git commit');
  if (isCommit && named.length === 0 && !options.includes('--all')) return [];
  // Git itself matches patterns in operands. This code cannot match patterns. With empty `trees`, `addsRepository` checks all directories.
  const isKnown = operation === 'git add' || isCommit;
  const trees = !isKnown || named.some((path) => /[*?[\\]/.test(path)) ? [] : named;
  // Below an ignored directory, `git add` without `--force` adds only files that git follows already. The other commands may add more.
  const isForced = operation !== 'git add' || options.includes('--force');
  if (cwd !== null && !addsRepository(resolvePath(cwd, 'target'), trees, isForced)) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/modules', context) }];
}
