/** Whether git would run hooks in a repository, as far as git's files tell. Runs nothing. */
import { readdirSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isHarmlessDevice } from '../../core/effects/harmless-device.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { gitPlaceOf, readSmall } from './git-place.ts';
import { placeOnDisk } from './place-on-disk.ts';

/** The most settings files that include one another. */
const MAX_INCLUDES = 20;

/**
 * In doubt true: a file among the hooks that is not an example, whatever its mode; a setting that names hooks; a file that cannot be
 * read. Where no repository is, there are no hooks.
 * @param entries the variables with which git would run
 */
export function hasHooks(directory: string, entries: ReadonlyMap<string, string>): boolean {
  const place = gitPlaceOf(directory);
  if (place === null) return placeOnDisk.repositoryOf(directory) !== null;
  // With a `commondir`, the settings and hooks are in another directory.
  if (place.directory === place.common && isThere(join(place.common, 'commondir'))) return true;
  if ([...entries].some(([name, value]) => /^GIT_CONFIG_(?:KEY|PARAM)/.test(name) && /hook|include/i.test(value)))
    return true;
  const home = entries.get('HOME') ?? '';
  const named = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].flatMap((name) => entries.get(name) ?? []);
  const files = [
    '/etc/gitconfig',
    '/usr/local/etc/gitconfig',
    join(home, '.gitconfig'),
    join(home, '.config/git/config'),
    join(entries.get('XDG_CONFIG_HOME') ?? '/', 'git/config'),
    join(place.common, 'config'),
    join(place.directory, 'config.worktree'),
    ...named,
  ];
  return hasHookFile(join(place.common, 'hooks')) || settingsNameHooks(files, home);
}

function hasHookFile(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => !name.endsWith('.sample'));
  } catch {
    return isThere(directory);
  }
}

function settingsNameHooks(files: readonly string[], home: string): boolean {
  const waiting = [...files];
  const seen = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = readSmall(file);
    if (text === null && isThere(file) && !isHarmlessDevice(file, 'read')) return true;
    // Since git 2.54 a section `hook` may name a command.
    if (/hookspath|\[\s*hook\b/i.test(text ?? '') || seen.size > MAX_INCLUDES) return true;
    const included = includedBy(text ?? '', file, home);
    if (included === null) return true;
    waiting.push(...included);
  }
  return false;
}

/** Returns the files that a settings file includes, whatever its conditions for that are; null if one is not written plainly. */
function includedBy(text: string, file: string, home: string): readonly string[] | null {
  if (!/\[\s*include/i.test(text)) return [];
  const named = [...text.matchAll(/(?:^|\])[ \t]*path[ \t]*=(.*)/gim)].map(([, value = '']) =>
    value.trim().replace(/^"([^"]*)"$/, '$1'),
  );
  if (!named.every((path) => /^(?:~\/)?[\w./@+-]+$/.test(path))) return null;
  return named.map((path) =>
    path.startsWith('~/') ? join(home, path.slice(2)) : isAbsolute(path) ? path : join(dirname(file), path),
  );
}

const isThere = (path: string): boolean => kindOfPlace(path) !== 'nothing';
