/** Looks for the project of a tool, upward from a path. `core/effects/project-root.ts` explains `names`. Runs no program. */
import { join } from 'node:path';
import { foldersFrom, type ProjectName, splitProjectNames } from '../../core/effects/project-root.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { readSmall } from './git-place.ts';
import { resolveTarget } from './real-path.ts';

/**
 * Each name chooses a folder or none. Returns the highest of these folders, or null.
 * @param path a real path
 * @param home the home directory of the user; null: not known
 */
export function projectOf(path: string, names: string, home: string | null): string | null {
  const folders = foldersFrom(path);
  const own = home === null ? null : resolveTarget(home);
  let highest = -1;
  for (const name of splitProjectNames(names)) highest = Math.max(highest, indexOf(name, folders, own));
  return folders[highest] ?? null;
}

/** Returns the index of the folder that this name chooses, or -1. */
function indexOf({ files, text }: ProjectName, folders: readonly string[], home: string | null): number {
  const filesIn = (folder: string) => files.filter(({ isSetting }) => !(isSetting && folder === home));
  const has = (folder: string): boolean => filesIn(folder).some(({ file }) => hasFile(join(folder, file), text));
  if (text !== null) return folders.findLastIndex(has);
  const nearest = folders.findIndex((folder) =>
    filesIn(folder).some(({ file, isFolder }) => endsSearch(join(folder, file), isFolder)),
  );
  return nearest === -1 ? folders.findLastIndex(has) : nearest;
}

/**
 * A file that cannot be read counts as having the text. A file with `\u` counts too: an escape of JSON or TOML can be any
 * character. A link that leads nowhere counts too: it may lead somewhere later.
 */
const hasFile = (path: string, text: string | null): boolean => {
  if (kindOfPlace(path) === 'nothing') return false;
  const content = text === null || text === '' ? null : readSmall(path);
  return content === null || content.includes(text ?? '') || content.includes('\\u') || content.includes('\\U');
};

/**
 * Whether all tools that look for this name certainly end their search at this path. A tool that wants a file ignores a folder of this
 * name, a tool that wants a folder ignores a file, and some tools ignore an empty file. The tool then searches in the
 * folder above. A link does not count, because the tool may find another target than this process (`/proc/self`).
 */
const endsSearch = (path: string, isFolder: boolean): boolean =>
  kindOfPlace(path) === (isFolder ? 'directory' : 'file') &&
  (isFolder || (readSmall(path, false)?.trim() ?? '') !== '');
