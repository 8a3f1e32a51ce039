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
 * Returns a read of each of git's own directories outside of the work tree, and also a write if the command makes git write its records.
 * Returns an empty list if none of `adds` is in the repository, or if the working directory is not known.
 * @param adds      the resources that the rule file adds
 * @param resources the resources of the command, also those of `adds`
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

/** Whether the command makes git write its own directory. Git does so for settings, for refs, and at each contact with a remote. */
export const writesRecord = (resources: readonly Resource[]): boolean =>
  writesSettings(resources) ||
  resources.some(
    ({ kind, access }) => kind === 'remote' || (kind === 'ref' && (access === 'write' || access === 'delete')),
  );

/**
 * Returns the repository whose settings git reads: see `CommandEffects`. The directory in which git runs decides this alone. The operands do
 * not: with `core.worktree`, `git -C nest status ..` is valid, and still reads the settings of `nest`.
 */
export function repositoryRead(tool: string, context: CommandContext): string | null {
  if (tool !== 'git') return null;
  const top = fixedPath('@repository', context);
  return top.isExact ? top.value : null;
}
