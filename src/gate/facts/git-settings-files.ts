/** Finds and reads git's settings files, and all files that a settings file includes. Runs no program. */
import { dirname, join } from 'node:path';
import { isHarmlessDevice } from '../../core/effects/harmless-device.ts';
import { type GitSetting, parseGitSettings } from '../../core/text/git-settings.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { joinedPath } from '../../platform/path-walk.ts';
import { type GitPlace, readSmall } from './git-place.ts';

/** The maximum number of included settings files. Missing files count too. */
const MAX_INCLUDES = 20;

const SYSTEM_FILES = [
  '/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
  '/home/linuxbrew/.linuxbrew/etc/gitconfig',
  '/opt/local/etc/gitconfig',
  '/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig',
  '/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig',
];

/**
 * Lists the files in which git looks for settings, whether these files exist or not. The path of the system-wide file depends on the build
 * of git. The list has the paths for Linux, Homebrew, MacPorts and Xcode.
 * @param place   null: git runs outside of repositories
 * @param entries the environment variables with which git would run
 */
export function gitSettingsFiles(place: GitPlace | null, entries: ReadonlyMap<string, string>): readonly string[] {
  const home = entries.get('HOME') ?? '';
  return [
    ...SYSTEM_FILES,
    ...(home === '' ? [] : [join(home, '.gitconfig'), join(home, '.config/git/config')]),
    join(entries.get('XDG_CONFIG_HOME') || '/', 'git/config'),
    ...(place === null ? [] : settingsOfRepository(place)),
    ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].flatMap((name) => entries.get(name) || []),
  ];
}

/** Lists the settings files that belong to the repository, whether these files exist or not. */
export const settingsOfRepository = ({ common, directory }: GitPlace): readonly string[] => [
  join(common, 'config'),
  join(directory, 'config.worktree'),
];

/**
 * Reads `files`, all files that `files` include, the files that these include, and so on. A conditional include (`includeIf`) always
 * counts. A file that does not exist counts as empty. Returns null in five cases: a path is relative, an existing file cannot be read, git
 * refuses the text of a file, there are too many files, or an include does not name a plain path.
 * @property settings of all files; the order of the files is not fixed
 * @property included the paths of the included files, whether these files exist or not
 */
export function readGitSettings(
  files: readonly string[],
  home: string,
): { readonly settings: readonly GitSetting[]; readonly included: readonly string[] } | null {
  const waiting = [...files];
  const seen = new Set<string>();
  const [settings, included]: [GitSetting[], string[]] = [[], []];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (!file.startsWith('/')) return null; // git resolves a relative path in its working directory
    const text = readSmall(file);
    if (text === null && kindOfPlace(file) !== 'nothing' && !isHarmlessDevice(file, 'read')) return null;
    const read = parseGitSettings(text ?? '');
    const named = read === null ? null : plainPaths(read.filter(isInclude), dirname(file), home);
    if (read === null || named === null || seen.size > files.length + MAX_INCLUDES) return null;
    for (const setting of read) settings.push(setting);
    included.push(...named);
    waiting.push(...named);
  }
  return { settings, included };
}

const isInclude = ({ section, key }: GitSetting): boolean =>
  (section === 'include' || section === 'includeif') && key === 'path';

/**
 * Returns the absolute paths that the values of settings mean; null if a value is not a plain path.
 * @param from the base directory of relative paths
 */
export function plainPaths(settings: readonly GitSetting[], from: string, home: string): readonly string[] | null {
  const paths = settings.map(({ value }) => value ?? '');
  if (!paths.every((path) => /^(?:~\/)?[\w./@+ -]+$/.test(path))) return null;
  return paths.map((path) => (path.startsWith('~/') ? joinedPath(home, path.slice(2)) : joinedPath(from, path)));
}
