/**
 * A new branch that starts at a remote branch tracks the remote branch. For a tracking branch, git writes into `.git/config`. The settings
 * in `.git/config` decide what git runs later. If the command has no `--track`, only the start point of the new branch reveals this write.
 */
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { fixedPath } from './word-meaning.ts';

const MAKES_BRANCH: ReadonlySet<string> = new Set(
  ['branch create', 'checkout new', 'switch', 'worktree add'].map((verb) => `git ${verb}`),
);

/**
 * Returns the write of `.git/config` if the command may make a tracking branch, else an empty list. Assumes the default of git's setting
 * `branch.autoSetupMerge`.
 */
export function trackingEffects({ operation, uses, resources, context }: UnderstoodCall): readonly Resource[] {
  const isUsed = (option: string): boolean => uses.some(({ rule }) => rule.canonical === option);
  if (!MAKES_BRANCH.has(operation) || isUsed('--no-track')) return [];
  // Without these options, the operand of `git worktree add` is usually an existing branch.
  if (operation === 'git worktree add' && !isUsed('-b') && !isUsed('-B')) return [];
  const refs = resources.filter(({ kind }) => kind === 'ref');
  const isMade = refs.some(({ access, value }) => access === 'write' && value !== 'HEAD');
  return isMade && refs.some(isPerhapsRemote)
    ? [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/config', context) }]
    : [];
}

/** Usual names of remotes. The name of a remote alone means its main branch. */
const REMOTES =
  /^(?:refs\/remotes\/|remotes\/)?(?:origin|upstream|fork|remote|github|gitlab|gitea|codeberg|bitbucket)$/;

/**
 * Whether the ref may be a remote branch: `origin/main`, `origin`, `@{upstream}`, or a ref that is only known at run time. `feat/x` counts
 * too: this name cannot be distinguished from a remote branch.
 */
const isPerhapsRemote = ({ access, value, isExact }: Resource): boolean =>
  access === 'read' && (!isExact || REMOTES.test(value) || /^(?!(?:refs\/)?(?:heads|tags)\/).*(?:\/|@\{)/.test(value));

/** Whether a repository's `.git/config` is among the files that are written. */
export const writesSettings = (resources: readonly Resource[]): boolean =>
  resources.some(({ kind, access, value }) => kind === 'path' && access === 'write' && value.endsWith('/.git/config'));
