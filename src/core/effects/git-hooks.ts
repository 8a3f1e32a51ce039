/**
 * Git's hooks run programs of the project. All processes of a line have the same confinement. So if git writes its own directory, a hook
 * can write there too, and the kernel cannot prevent that the hook makes a file `.git/commondir`. This file names another directory of
 * settings, and the next git that is not confined runs the programs that those settings name. So no scope covers a command that writes
 * `.git` in a repository with hooks. A remote that is a repository on this host has hooks and settings too, and `git push` and `git fetch`
 * run those hooks and the programs that those settings name.
 */
import type { CommandContext, HookKind } from './command-context.ts';
import { writesRecord } from './git-records.ts';
import type { Resource } from './permission.ts';
import { fixedPath } from './word-meaning.ts';

export const HOOK_SENTENCE =
  'The repository has hooks, or the remote is a repository on this host, which may have hooks. A hook may change which settings git reads.';

/**
 * Whether this is the resource that the rule file of git adds to a command that runs hooks. A hook that the line itself names does not
 * count: its path is exact.
 */
export const isHooks = ({ kind, access, value, isExact }: Resource): boolean =>
  kind === 'path' && access === 'execute' && !isExact && value.endsWith('/.git/hooks');

/** The operations of git that contact the repository that an operand names. */
const CONTACTS: ReadonlySet<string> = new Set([
  'clone',
  'fetch',
  'ls-remote',
  'pull',
  'push',
  'push delete',
  'remote prune',
  'remote show',
  'remote update',
]);

/** Whether an operation of git contacts the repository that an operand or a setting names. */
export const isGitContact = (operation: string): boolean =>
  operation.startsWith('git ') && CONTACTS.has(operation.slice('git '.length));

/**
 * Returns a write of `.git/commondir` in each repository on this host that the words name as the remote. No scope covers such a write.
 * @param named the resources that the operands and the values of options name
 */
export function localRemotes(operation: string, named: readonly Resource[]): readonly Resource[] {
  if (!isGitContact(operation)) return [];
  return named
    .filter(({ kind, access, isExact }) => kind === 'path' && access === 'read' && !isExact)
    .map(({ value }) => ({
      kind: 'path',
      access: 'write',
      value: `${value === '/' ? '' : value}/.git/commondir`,
      isExact: true,
    }));
}

/**
 * Returns a write of `.git/commondir` if the command makes git write `.git`, and one of these is true:
 * - The repository has hooks that the command runs. If the rule file names no hooks for the command, only those hooks count that git runs
 *   at each change of the index or of a ref.
 * - The command contacts a remote, and a remote in the settings is a repository on this host with hooks.
 * - The working directory is not known.
 *
 * No scope covers such a write. Returns an empty list if the context has no `hasHooks`.
 */
export function hookEffects(
  tool: string,
  resources: readonly Resource[],
  context: CommandContext,
): readonly Resource[] {
  const { cwd, hasHooks, resolvePath } = context;
  if (tool !== 'git' || hasHooks === undefined || !writesRecord(resources)) return [];
  const kinds: readonly HookKind[] = [
    resources.some(isHooks) ? 'any' : 'record',
    ...(resources.some(({ kind }) => kind === 'remote') ? (['remote'] as const) : []),
  ];
  if (cwd !== null && !kinds.some((kind) => hasHooks(resolvePath(cwd, 'target'), kind))) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/commondir', context) }];
}
