/**
 * `git add` of a directory in which another repository lies makes git follow that repository; so does `git commit -a`, if a file has
 * become one. From then on `git status` in the outer one reads the settings of the inner one, which may name programs; and code of a
 * project that ran before may have made them.
 */
import type { CommandContext } from './command-context.ts';
import type { Resource } from './permission.ts';
import { fixedPath } from './word-meaning.ts';

export const REPOSITORY_SENTENCE =
  'A repository that git does not follow yet may be there: git would then run what its settings name.';

/**
 * Returns the write of `.git/modules`, for exact approvals alone, if such a repository may be among what is added.
 * @param operands what the operands of the command mean
 * @param options  canonical names
 */
export function addedRepositories(
  operation: string,
  operands: readonly Resource[],
  options: readonly string[],
  context: CommandContext,
): readonly Resource[] {
  const { cwd, addsRepository, resolvePath } = context;
  const named = operands.flatMap(({ kind, value, isExact }) => (kind === 'path' && !isExact ? value : []));
  const isOfCommit = operation.startsWith('git commit') && (named.length > 0 || options.includes('--all'));
  if (addsRepository === undefined || (operation !== 'git add' && !isOfCommit)) return [];
  // Git itself reads patterns. A file that git follows may have become a repository, also where `.gitignore` names its directory.
  const trees = named.some((path) => /[*?[\\]/.test(path)) ? [] : named;
  const isForced = isOfCommit || options.includes('--update') || options.includes('--force');
  if (cwd !== null && !addsRepository(resolvePath(cwd, 'target'), trees, isForced)) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/modules', context) }];
}
