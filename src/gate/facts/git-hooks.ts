/** Whether git would run hooks in a repository, as far as git's files tell. Runs nothing. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kindOfPlace } from '../../platform/confinement.ts';
import { gitPlaceOf } from './git-place.ts';
import { gitSettingsFiles, plainPaths, readGitSettings } from './git-settings-files.ts';
import { placeOnDisk } from './place-on-disk.ts';

/** Hooks that git starts at each change of the index or of a ref, githooks(5). */
const RECORD_HOOKS: ReadonlySet<string> = new Set(['post-index-change', 'reference-transaction', 'pre-auto-gc']);

/**
 * In doubt true: a file among the hooks that is not an example, whatever its mode; a setting that names hooks; a file that cannot be
 * read. Where no repository is, there are no hooks.
 * @param which   `record`: hooks of other events do not count, also those in a directory that a setting names
 * @param entries the variables with which git would run
 */
export function hasHooks(directory: string, which: 'any' | 'record', entries: ReadonlyMap<string, string>): boolean {
  const place = gitPlaceOf(directory);
  if (place === null) return placeOnDisk.repositoryOf(directory) !== null;
  // With a `commondir`, the settings and hooks are in another directory.
  if (place.directory === place.common && isThere(join(place.common, 'commondir'))) return true;
  if ([...entries].some(([name, value]) => /^GIT_CONFIG_(?:KEY|PARAM)/.test(name) && /hook|include/i.test(value)))
    return true;
  const settings = readGitSettings(gitSettingsFiles(place, entries), entries.get('HOME') ?? '');
  // Since git 2.54 a section `hook` may name a command.
  if (settings === null || settings.texts.some((text) => /\[\s*hook\b/i.test(text))) return true;
  const named = hooksPaths(settings.texts, place.top, entries.get('HOME') ?? '');
  if (named === null || (which === 'any' && named.length > 0)) return true;
  return [join(place.common, 'hooks'), ...named].some((path) => hasHookFile(path, which));
}

function hasHookFile(directory: string, which: 'any' | 'record'): boolean {
  try {
    return readdirSync(directory).some((name) =>
      which === 'record' ? RECORD_HOOKS.has(name) : !name.endsWith('.sample'),
    );
  } catch {
    return isThere(directory);
  }
}

/** Returns the directories that settings name for hooks; null if one is not written plainly. */
function hooksPaths(texts: readonly string[], top: string, home: string): readonly string[] | null {
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => /hookspath/i.test(line));
  const named = lines.map((line) => /^(?:\[\s*core\s*\])?\s*hookspath\s*=(.*)$/i.exec(line.trim())?.[1] ?? '?');
  return plainPaths(named, top, home);
}

const isThere = (path: string): boolean => kindOfPlace(path) !== 'nothing';
