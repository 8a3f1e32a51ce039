/**
 * A new branch that starts from a remote branch tracks it, and git writes that into `.git/config`, the file that decides
 * what git runs later. No option shows this write, only the start of the branch does.
 */
import type { CommandContext } from './command-context.ts';
import type { Resource } from './permission.ts';
import type { OptionUse } from './read-arguments.ts';
import { fixedPath } from './word-meaning.ts';

/** Operations that make a branch. */
const MAKES_BRANCH: ReadonlySet<string> = new Set(
  ['branch create', 'checkout new', 'switch', 'worktree add'].map((verb) => `git ${verb}`),
);

/**
 * Returns the write of `.git/config` if the command may make a tracking branch; assumes git's default `branch.autoSetupMerge`.
 */
export function trackingEffects(
  operation: string,
  uses: readonly OptionUse[],
  resources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  if (!MAKES_BRANCH.has(operation) || uses.some(({ rule }) => rule.canonical === '--no-track')) return [];
  const refs = resources.filter(({ kind }) => kind === 'ref');
  const isMade = refs.some(({ access, value }) => access === 'write' && value !== 'HEAD');
  return isMade && refs.some(isPerhapsRemote)
    ? [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/config', context) }]
    : [];
}

/** Whether the ref may be a remote one: `origin/main`, `origin`, `@{upstream}`, one only known at run time, and `feat/x`, which looks alike. */
const isPerhapsRemote = ({ access, value, isExact }: Resource): boolean =>
  access === 'read' && (!isExact || value === 'origin' || /^(?!(?:refs\/)?(?:heads|tags)\/).*(?:\/|@\{)/.test(value));

/** Whether a repository's `.git/config` is among the files that are written. */
export const writesSettings = (resources: readonly Resource[]): boolean =>
  resources.some(({ kind, access, value }) => kind === 'path' && access === 'write' && value.endsWith('/.git/config'));
