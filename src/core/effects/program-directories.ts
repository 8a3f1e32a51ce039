/**
 * Files in a directory of PATH run in the place of programs: for the prompt, for other programs, and for later lines. Most such
 * directories are in the table of sensitive places; PATH of this request may name others (`project/.venv/bin`).
 */

import { isAtOrBelow } from '../files/file-operation.ts';
import type { EnvironmentEntry } from '../grant/request.ts';
import type { RequiredPermission } from './assess-line.ts';

/** The first path in such a directory that the line may write or delete; null: there is none. */
export function writtenProgramPath(
  required: readonly RequiredPermission[],
  environment: readonly EnvironmentEntry[],
): string | null {
  const path = environment.find(({ name }) => name === 'PATH')?.value ?? '';
  const directories = path.split(':').flatMap((each) => (each.startsWith('/') ? [withoutSlash(each)] : []));
  const written = required
    .flatMap(({ permission }) => permission.resources)
    .filter(({ kind, access }) => kind === 'path' && (access === 'write' || access === 'delete'));
  return written.find(({ value }) => directories.some((each) => isAtOrBelow(value, each)))?.value ?? null;
}

const withoutSlash = (directory: string): string => directory.replace(/(?<=.)\/+$/, '');
