/**
 * Git's hooks run programs of the project. All processes of a line have the same confinement. So if git may write `.git`, a hook may write
 * `.git` too. The hook can create `.git/commondir`, which names another directory with settings. The next unconfined git then runs the
 * programs in these settings. So no scope covers a command that writes `.git` in a repository with hooks.
 *
 * A remote on this host has hooks and settings too. `git push` and `git fetch` run the hooks of this remote, and the programs in the
 * settings of this remote.
 */
import { pathBelow } from '../text/path.ts';
import type { HookKind } from './command-context.ts';
import { writesRecord } from './git-records.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { fixedPath } from './word-meaning.ts';

export const HOOK_SENTENCE =
  'The repository has hooks, its settings name a program that may run code of the project, or the remote is a repository on this host. Such a program may change which settings git reads.';

/**
 * Whether this is the resource `.git/hooks` that git's rule file adds to some commands. A command with this resource runs hooks. The path
 * of this resource is never exact. False for a hook that the line itself names: the path of such a hook is exact.
 */
export const isHooks = ({ kind, access, value, isExact }: Resource): boolean =>
  kind === 'path' && access === 'execute' && !isExact && value.endsWith('/.git/hooks');

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

/** Whether an operation of git contacts a remote. An operand or a setting names the remote. */
export const isGitContact = (operation: string): boolean =>
  operation.startsWith('git ') && CONTACTS.has(operation.slice('git '.length));

/**
 * Returns a write of `.git/commondir` for each repository on this host that the command names as its remote. No scope covers such a write.
 * Returns an empty list if the operation contacts no remote.
 */
export function localRemotes({ operation, named }: UnderstoodCall): readonly Resource[] {
  if (!isGitContact(operation)) return [];
  return named
    .filter(({ kind, access, isExact }) => kind === 'path' && access === 'read' && !isExact)
    .map(({ value }) => ({
      kind: 'path',
      access: 'write',
      value: pathBelow(value, '.git/commondir'),
      isExact: true,
    }));
}

/**
 * Returns a write of `.git/commondir` if the command makes git write `.git`, and one of these is true:
 * - The repository has hooks, or its settings name a program that may run code of the project. Unless the rule file says that the command
 *   runs hooks (`isHooks`), only two sorts of hooks matter: hooks that git runs at each change of the index, and hooks that git runs at
 *   each change of a ref.
 * - The command contacts a remote, and a remote in the settings is a repository on this host that has hooks.
 * - The working directory is not known.
 *
 * No scope covers such a write. Returns an empty list if the context has no `hasHooks`.
 */
export function hookEffects({ tool, resources, context }: UnderstoodCall): readonly Resource[] {
  const { cwd, hasHooks, resolvePath } = context;
  if (tool !== 'git' || hasHooks === undefined || !writesRecord(resources)) return [];
  const kinds: readonly HookKind[] = [
    resources.some(isHooks) ? 'any' : 'record',
    ...(resources.some(({ kind }) => kind === 'remote') ? (['remote'] as const) : []),
  ];
  if (cwd !== null && !kinds.some((kind) => hasHooks(resolvePath(cwd, 'target'), kind))) return [];
  return [{ kind: 'path', access: 'write', ...fixedPath('@repository/.git/commondir', context) }];
}
