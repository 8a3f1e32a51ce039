/** Looks for the project of a tool, upward from a path. `core/effects/project-root.ts` explains the names. Runs no program. */
import { join } from 'node:path';
import { foldersFrom, splitProjectNames } from '../../core/effects/project-root.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { readSmall } from './git-place.ts';
import { resolveTarget } from './real-path.ts';

/**
 * Returns the highest folder of those that the names choose, or null.
 * @param path a real path
 * @param home the home directory of the user; null: not known
 */
export function projectOf(path: string, names: string, home: string | null): string | null {
  const folders = foldersFrom(path);
  const own = home === null ? null : resolveTarget(home);
  let highest = -1;
  for (const { files, text } of splitProjectNames(names)) {
    const has = (folder: string): boolean =>
      files.some(({ file, isSetting }) => !(isSetting && folder === own) && hasFile(join(folder, file), text));
    highest = Math.max(highest, text === null ? folders.findIndex(has) : folders.findLastIndex(has));
  }
  return folders[highest] ?? null;
}

/** A file that cannot be read counts as having the text. A link that leads nowhere counts too: it may lead somewhere later. */
const hasFile = (path: string, text: string | null): boolean =>
  kindOfPlace(path) !== 'nothing' && (text === null || text === '' || (readSmall(path)?.includes(text) ?? true));
