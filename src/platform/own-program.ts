/** Recognises our own `apes` by the real path of its file, never by its name. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** `dist/`, where this package's built files are; the entry files lie in `dist/main/`. */
export const distDirectory = (entryFile: string): string => dirname(dirname(realpathSync(entryFile)));

/** The real path of a command name with this PATH, or null. Searches as execvp(3) does: the first executable regular file. */
export function resolveProgram(name: string, path: string, cwd: string): string | null {
  const candidates = name.includes('/') ? [name] : path.split(':').map((folder) => join(folder || '.', name));
  for (const candidate of candidates) {
    const full = resolve(cwd, candidate);
    try {
      if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true) continue; // an exception for each folder would be slow
      accessSync(full, constants.X_OK);
      return realpathSync(full);
    } catch {
      // Missing or not executable: tries the next folder.
    }
  }
  return null;
}

/** Whether `name` means our own control program. */
export function isOwnControl(name: string, path: string, cwd: string, dist: string): boolean {
  const own = resolveProgram(join(dist, 'bin', 'apes'), '', '/');
  return own !== null && resolveProgram(name, path, cwd) === own;
}

/** What a caller must type: `apes` when that finds our own program, else its full path. */
export function controlName(environment: ReadonlyMap<string, Buffer>, cwd: string, dist: string): string {
  const path = environment.get('PATH')?.toString('utf8') ?? '';
  return isOwnControl('apes', path, cwd, dist) ? 'apes' : join(dist, 'bin', 'apes');
}
