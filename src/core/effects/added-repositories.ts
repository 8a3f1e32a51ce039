/**
 * `git add` of a directory in which another repository lies makes git follow that repository; so does `git commit -a`, if a file has
 * become one, and each command that takes the index from a commit, such as `git reset`. From then on `git status` in the outer one reads
 * the settings of the inner one, which may name programs; and code of a project that ran before may have made them.
 */
import type { CommandContext } from './command-context.ts';
import type { Resource } from './permission.ts';
import { fixedPath } from './word-meaning.ts';

export const REPOSITORY_SENTENCE =
  'A repository that git does not follow yet may be there: git would then run what its settings name.';

/** What git calls the refs of a command that changes the index, in the rules. */
const CHANGES_INDEX: ReadonlySet<string> = new Set(['INDEX', 'HEAD', 'refs/stash']);
/** Put nothing into the index: `git rm` takes files out of it, and for the others HEAD is the ref of a remote. */
const PUTS_NOTHING_IN: ReadonlySet<string> = new Set(['git rm', 'git push', 'git fetch']);

/**
 * Returns the write of `.git/modules`, for exact approvals alone, if such a repository may be among what comes into the index. A command
 * that is not known here counts as one that may put anything into the index.
 * @param resources what the rules claim for the command
 * @param operands  what the operands of the command mean
 * @param options   canonical names
 */
export function addedRepositories(
  { tool, operation, resources, operands, options }: GitCall,
  context: CommandContext,
): readonly Resource[] {
  const { cwd, addsRepository, resolvePath } = context;
  const isChange = resources.some(
    ({ kind, access, value }) => kind === 'ref' && access === 'write' && CHANGES_INDEX.has(value),
  );
  if (addsRepository === undefined || tool !== 'git' || !isChange || PUTS_NOTHING_IN.has(operation)) return [];
  const named = operands.flatMap(({ kind, value, isExact }) => (kind === 'path' && !isExact ? value : []));
  const isCommit = operation.startsWith('git commit');
  if (isCommit && named.length === 0 && !options.includes('--all')) return [];
  // Git itself reads patterns.
  const isKnown = operation === 'git add' || isCommit;
  const trees = !isKnown || named.some((path) => /[*?[\\]/.test(path)) ? [] : named;
  // What git follows below an ignored directory is added by each of them; what it does not follow, by plain `git add` not.
  const isForced = operation !== 'git add' || options.includes('--force');
  if (cwd !== null && !addsRepository(resolvePath(cwd, 'target'), trees, isForced)) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/modules', context) }];
}

interface GitCall {
  readonly tool: string;
  readonly operation: string;
  readonly resources: readonly Resource[];
  readonly operands: readonly Resource[];
  readonly options: readonly string[];
}
