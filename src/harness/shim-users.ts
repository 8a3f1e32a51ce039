/** Finds the hook installations that still need the shim. Several harnesses, scopes and projects share the directory of the shim. */
import { readFileSync } from 'node:fs';
import { kindOfPlace } from '../platform/confinement.ts';
import { errorCode } from '../platform/private-files.ts';
import { installationOf } from './harness-installations.ts';
import { findHarness, HARNESS_NAMES } from './harnesses.ts';
import type { HookFile, HookPlaces } from './hook-file.ts';
import { type RecordedFile, recordedFiles } from './put-hooks.ts';

/**
 * Returns the settings files of the hook installations that still need the shim. A file also counts if its record names no known harness, or
 * if the file cannot be read: without the shim, a harness may run commands ungated.
 * @param records the directory of the records
 */
export async function shimUsers(records: string, places: HookPlaces): Promise<readonly string[]> {
  const users = new Set<string>();
  for (const file of recordedFiles(records)) if (await needsShim(file, places)) users.add(file.path);
  for (const name of HARNESS_NAMES) {
    const { files, shim } = await installationOf(name).plan({ ...places, scope: 'user' });
    if (shim !== null) for (const file of files) if (mayHaveEntries(file)) users.add(file.path);
  }
  return [...users];
}

async function needsShim({ owner }: RecordedFile, places: HookPlaces): Promise<boolean> {
  const harness = owner === null ? null : findHarness(owner.harness);
  if (owner === null || harness === null) return true;
  // No harness can run in a project that was deleted.
  if (owner.scope === 'project' && kindOfPlace(owner.project) === 'nothing') return false;
  const { shim } = await installationOf(harness.name).plan({ ...places, scope: owner.scope, project: owner.project });
  return shim !== null;
}

function mayHaveEntries({ path, lines }: HookFile): boolean {
  try {
    return lines(readFileSync(path, 'utf8')).length > 0;
  } catch (error) {
    return errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR';
  }
}
