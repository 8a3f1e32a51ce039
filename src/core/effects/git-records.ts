/**
 * A linked work tree and a submodule have a file `.git`, which names a directory elsewhere: git reads its record there, and
 * writes it. The approver must see that place.
 */

import type { FixedResource } from '../rules/rule.ts';
import type { CommandContext } from './command-context.ts';
import { writesSettings } from './git-settings.ts';
import type { Resource } from './permission.ts';
import { isInRepository } from './word-meaning.ts';

/** @param resources what the command would do besides */
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

/** What is fetched or sent is noted there too. */
export const writesRecord = (resources: readonly Resource[]): boolean =>
  writesSettings(resources) ||
  resources.some(
    ({ kind, access }) => kind === 'remote' || (kind === 'ref' && (access === 'write' || access === 'delete')),
  );
