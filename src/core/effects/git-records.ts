/**
 * Git's own directories outside of the work tree. In a linked work tree and in a submodule, `.git` is a file that names another directory.
 * Git reads and writes that directory, so the approver must see it.
 */

import type { FixedResource } from '../rules/rule.ts';
import type { CommandContext } from './command-context.ts';
import { writesSettings } from './git-settings.ts';
import type { Resource } from './permission.ts';
import { fixedPath, isInRepository } from './word-meaning.ts';

/**
 * Returns the resources for git's own directories outside of the work tree. Git reads each directory. If `writesRecord` is true, git also
 * writes each directory. Returns an empty list in two cases: no path of `adds` begins with `@repository`, or the context lacks `cwd` or
 * `recordsOf`.
 * @param adds      the resources that the rule file adds
 * @param resources all resources of the command, including `adds`
 */
export function recordsElsewhere(
  adds: readonly FixedResource[],
  resources: readonly Resource[],
  { cwd, resolvePath, recordsOf }: CommandContext,
): readonly Resource[] {
  if (cwd === null || recordsOf === undefined || !isInRepository(adds)) return [];
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
