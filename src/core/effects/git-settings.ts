/**
 * A branch that is made from another repository's follows it, and git notes that in `.git/config`, which decides what git runs
 * later. Only the start says so: no option does.
 */
import type { CommandContext } from './command-context.ts';
import type { Resource } from './permission.ts';
import type { OptionUse } from './read-arguments.ts';
import { fixedPath } from './word-meaning.ts';

/** What makes a branch. */
const MAKES_BRANCH: ReadonlySet<string> = new Set(
  ['branch create', 'checkout new', 'switch', 'worktree add'].map((verb) => `git ${verb}`),
);

/** What a call adds that makes a branch, by its refs; with `branch.autoSetupMerge` other than git's default it may be otherwise. */
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

/** `origin/main`, `origin`, `@{upstream}`, and what is known only at run time. `feat/x` is read so too: its text is no other. */
const isPerhapsRemote = ({ access, value, isExact }: Resource): boolean =>
  access === 'read' && (!isExact || value === 'origin' || /^(?!(?:refs\/)?(?:heads|tags)\/).*(?:\/|@\{)/.test(value));

/** Whether git's settings of a repository are among what is written. */
export const writesSettings = (resources: readonly Resource[]): boolean =>
  resources.some(({ kind, access, value }) => kind === 'path' && access === 'write' && value.endsWith('/.git/config'));
