/**
 * The settings files that tools read when `HOME` is not the home directory in the user database. `HOME` can have any value. Therefore the
 * base profile uses only the directory in the user database. But a grant binds the value of `HOME`. Therefore a confined command may also
 * read the settings files of its tools below `HOME`.
 */
import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseEntriesFor } from '../core/confinement/base-profile.ts';
import { dangerousPlace } from '../core/sensitive/dangerous-places.ts';

/**
 * Returns the real paths of the settings files that exist. Two kinds of files are left out:
 * - files behind a symbolic link below `home`, because a user's link must not make another file readable
 * - files in a dangerous place
 * @param home the value of `HOME`. The list is empty if `home` is undefined or not absolute
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
