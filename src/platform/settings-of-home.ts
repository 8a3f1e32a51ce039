/**
 * The settings files that tools read when `HOME` is not the home directory in the user database. The base profile uses only
 * the directory in the user database, because `HOME` can have any value. But the grant binds the value of `HOME`. So a
 * confined command may also read the settings files of its tools below `HOME`.
 */
import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseEntriesFor } from '../core/confinement/base-profile.ts';
import { dangerousPlace } from '../core/sensitive/dangerous-places.ts';

/**
 * Returns the real paths of the settings files that exist. Two kinds of files are left out:
 * - files behind a symbolic link below `home`, because a user's link must not make another file readable
 * - files in a dangerous place
 * @param home the value of `HOME`; undefined, or not absolute: the list is empty
 */
export function settingsOfHome(tools: readonly string[], home: string | undefined): readonly string[] {
  if (home === undefined || !home.startsWith('/')) return [];
  const named = baseEntriesFor(tools, '/~').flatMap(([kind, path]) =>
    kind === 'read' && path.startsWith('/~/') ? [relative('/~', path)] : [],
  );
  return named.flatMap((name) => fileBelow(home, name) ?? []);
}

function fileBelow(home: string, name: string): string | null {
  try {
    const real = realpathSync.native(join(home, name));
    const isOwnName = real === join(realpathSync.native(home), name);
    return isOwnName && statSync(real).isFile() && dangerousPlace(real, true) === null ? real : null;
  } catch {
    return null;
  }
}
