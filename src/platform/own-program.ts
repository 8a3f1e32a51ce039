/** Recognises our own `apes` by the real path of its file, never by its name. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { joinedPath } from './path-walk.ts';

/**
 * Returns `dist/`, where this package's built files are.
 * @param entryFile a file in `dist/main/`
 */
export const distDirectory = (entryFile: string): string => dirname(dirname(realpathSync.native(entryFile)));

/**
 * Finds a program as execvp(3) does. Returns the real path of the first executable regular file that has this name in PATH; null if PATH
 * has no such file.
 */
export function resolveProgram(name: string, path: string, cwd: string): string | null {
  const candidates = name.includes('/') ? [name] : path.split(':').map((folder) => `${folder || '.'}/${name}`);
  for (const candidate of candidates) {
    const full = joinedPath(cwd, candidate);
    try {
      if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true) continue; // an exception for each folder would be slow
      accessSync(full, constants.X_OK);
      return realpathSync.native(full);
    } catch {
      // Missing or not executable: tries the next folder.
    }
  }
  return null;
}

/** Whether a call of `name` with this PATH in this directory runs our own `apes`. */
export function isOwnControl(name: string, path: string, cwd: string, dist: string): boolean {
  const own = resolveProgram(join(dist, 'bin', 'apes'), '', '/');
  return own !== null && resolveProgram(name, path, cwd) === own;
}

/** Returns the word with which a command line calls our own `apes`: `apes` if PATH leads to our own file, else the full path. */
export function controlName(environment: ReadonlyMap<string, Buffer>, cwd: string, dist: string): string {
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  return isOwnControl('apes', path, cwd, dist) ? 'apes' : join(dist, 'bin', 'apes');
}
