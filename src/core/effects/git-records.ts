/**
 * Git's own directories outside of the work tree. In a linked work tree and in a submodule, `.git` is a file that names another directory.
 * Git reads and writes that directory, so the approver must see it.
 */

import type { CommandContext } from './command-context.ts';
import { writesSettings } from './git-settings.ts';
import type { Resource } from './permission.ts';
import type { UnderstoodCall } from './understood-call.ts';
import { fixedPath, isInRepository } from './word-meaning.ts';

/**
 * Returns the resources for git's own directories outside of the work tree. Git reads each directory. If `writesRecord` is true, git also
 * writes each directory. Returns an empty list in two cases: no path of the command's own `adds` begins with
 * `@repository`, or the context lacks `cwd` or
 * `recordsOf`.
 */
export function recordsElsewhere({ command, resources, context }: UnderstoodCall): readonly Resource[] {
  const { cwd, resolvePath, recordsOf } = context;
  if (cwd === null || recordsOf === undefined || !isInRepository(command.adds)) return [];
  const access = writesRecord(resources) ? 'write' : 'read';
  return recordsOf(resolvePath(cwd, 'target')).flatMap((value): readonly Resource[] => [
    { kind: 'path', access: 'read', value, isExact: false },
    ...(access === 'read' ? [] : [{ kind: 'path', access, value, isExact: false } as const]),
  ]);
}

/** Whether git writes in git's own directory: to change settings or refs, or because git contacts a remote. */
export const writesRecord = (resources: readonly Resource[]): boolean =>
  writesSettings(resources) ||
  resources.some(
    ({ kind, access }) => kind === 'remote' || (kind === 'ref' && (access === 'write' || access === 'delete')),
  );

/**
 * Returns the top of the repository whose settings git reads, or null: see `CommandEffects`. Ignores operands, because an operand can be
 * outside of this repository. For example, if the settings of `nest` set `core.worktree`, `git -C nest status ..` can be valid. Git then
 * still reads the settings of `nest`.
 */
export function repositoryRead(tool: string, context: CommandContext): string | null {
  if (tool !== 'git') return null;
  const top = fixedPath('@repository', context);
  return top.isExact ? top.value : null;
}
