/**
 * Git's own directories outside of the work tree. A linked work tree and a submodule have a file `.git` that names another
 * directory. git reads and writes there, so the approver must see that directory.
 */

import type { FixedResource } from '../rules/rule.ts';
import type { CommandContext } from './command-context.ts';
import { writesSettings } from './git-settings.ts';
import type { Resource } from './permission.ts';
import { isInRepository } from './word-meaning.ts';

/** @param resources the other resources of the command */
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

/** Whether git writes its own directory. It does so for settings, for refs, and for each contact with a remote. */
export const writesRecord = (resources: readonly Resource[]): boolean =>
  writesSettings(resources) ||
  resources.some(
    ({ kind, access }) => kind === 'remote' || (kind === 'ref' && (access === 'write' || access === 'delete')),
  );
