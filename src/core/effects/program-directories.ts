/**
 * A file that a line writes into a directory of PATH may run in place of another program: when bash shows its prompt, when a program starts
 * another program, or in a later line. Most directories of PATH are in the table of sensitive paths. The PATH of a request may name other
 * directories (`project/.venv/bin`).
 */

import type { EnvironmentEntry } from '../grant/request.ts';
import { isAtOrBelow } from '../text/path.ts';
import { shownValue } from '../variables/bound-variables.ts';
import type { RequiredPermission } from './assess-line.ts';
import { type CommandContext, normalizePath } from './command-context.ts';

/**
 * Returns the first path that the line writes or deletes at or below an absolute directory of PATH; null if no path counts. A path above
 * a directory of PATH does not count. If the request has only a digest of PATH, every path that the line writes or deletes counts.
 * `resolvePath` is called only if the line writes or deletes a path.
 */
export function writtenProgramPath(
  required: readonly RequiredPermission[],
  environment: readonly EnvironmentEntry[],
  resolvePath: CommandContext['resolvePath'],
): string | null {
  const path = environment.find(({ name }) => name === 'PATH');
  const isUnknown = path?.digest === true;
  const written = required
    .flatMap(({ permission }) => permission.resources)
    .filter(({ kind, access }) => kind === 'path' && (access === 'write' || access === 'delete'));
  if (written.length === 0) return null;
  // A directory of PATH may be a link. The resource has the path without links, so the target of the link counts too.
  const directories = (shownValue(path) ?? '')
    .split(':')
    .filter((directory) => directory.startsWith('/'))
    .flatMap((directory) => [normalizePath(directory), resolvePath(directory, 'target')]);
  return (
    written.find(({ value }) => isUnknown || directories.some((directory) => isAtOrBelow(value, directory)))?.value ??
    null
  );
}
