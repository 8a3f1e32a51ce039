/** Finds and reads git's settings files, and all files that a settings file includes. Runs no program. */
import { dirname, join } from 'node:path';
import { isHarmlessDevice } from '../../core/effects/harmless-device.ts';
import { kindOfPlace } from '../../platform/confinement.ts';
import { type GitPlace, readSmall } from './git-place.ts';
import { pathFrom } from './real-path.ts';

/** The maximum number of included settings files. Missing files count too. */
const MAX_INCLUDES = 20;

const SYSTEM_FILES = [
  '/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
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
    ...(place === null ? [] : [join(place.common, 'config'), join(place.directory, 'config.worktree')]),
    ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'].flatMap((name) => entries.get(name) || []),
  ];
}

/**
 * Reads `files`, and all files that a read file includes; a conditional include (`includeIf`) always counts. A file that does not exist
 * counts as empty. Returns null in four cases: a path is relative, an existing file cannot be read, there are too many files, or an include
 * does not name a plain path.
 * @property texts    the contents of the files, in no fixed order
 * @property included the paths of the included files, whether these files exist or not
 */
export function readGitSettings(
  files: readonly string[],
  home: string,
): { readonly texts: readonly string[]; readonly included: readonly string[] } | null {
  const waiting = [...files];
  const seen = new Set<string>();
  const [texts, included]: [string[], string[]] = [[], []];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (!file.startsWith('/')) return null; // git resolves a relative path in its working directory
    const text = readSmall(file);
    if (text === null && kindOfPlace(file) !== 'nothing' && !isHarmlessDevice(file, 'read')) return null;
    const named = includedBy(text ?? '', file, home);
    if (named === null || seen.size > files.length + MAX_INCLUDES) return null;
    texts.push(text ?? '');
    included.push(...named);
    waiting.push(...named);
  }
  return { texts, included };
}

/** Returns the paths of the files that a settings file includes; null if an include does not name a plain path. */
function includedBy(text: string, file: string, home: string): readonly string[] | null {
  if (!/\[\s*include/i.test(text)) return [];
  const named = [...text.matchAll(/(?:^|\])[ \t]*path[ \t]*=([^\n]*)/gim)].map(([, value = '']) => value);
  return plainPaths(named, dirname(file), home);
}

/** Removes the blanks that git removes around a value. Other white space, such as U+00A0, belongs to the value. */
const trimmed = (value: string): string => value.replace(/^[ \t\r]+|[ \t\r]+$/g, '');

/** Removes the blanks around a value, and then the quotes around the whole value. */
export const unquoted = (value: string): string => trimmed(value).replace(/^"(.*)"$/s, '$1');

/**
 * Returns the absolute paths that values of settings mean; null if a value is not a plain path.
 * @param from the base directory of relative paths
 */
export function plainPaths(values: readonly string[], from: string, home: string): readonly string[] | null {
  const paths = values.map((value) => trimmed(value).replace(/^"([^"]*)"$/, '$1'));
  if (!paths.every((path) => /^(?:~\/)?[\w./@+ -]+$/.test(path))) return null;
  return paths.map((path) => (path.startsWith('~/') ? pathFrom(home, path.slice(2)) : pathFrom(from, path)));
}

/** One setting: the text before the key, the key and the value, git-config(1). */
const SETTING = /^(.*?)([A-Za-z][\w-]*)[ \t]*=(.*)$/gm;
/** A line with the name of a section. A line with a second `[` is not read: this line may begin another section. */
const SECTION = /^[ \t]*\[([A-Za-z-]+)(?:[. \t][^[]*)?\][^[]*$/;
/** A line that may begin a section: this line has a `[` before the first value and before the first remark. */
const MAY_BEGIN_SECTION = /^[^=[#;]*\[/;

/**
 * @property section in lower case; empty: not known
 * @property before  the text before the key on the same line; this text may contain another setting
 */
export interface GitSetting {
  readonly section: string;
  readonly before: string;
  readonly key: string;
  readonly value: string;
}

/** Returns the settings of a file. Lines that a backslash joins count as one line. */
export function gitSettingsIn(text: string): readonly GitSetting[] {
  let section = '';
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      if (MAY_BEGIN_SECTION.test(line)) section = SECTION.exec(line)?.[1]?.toLowerCase() ?? '';
      return [...line.matchAll(SETTING)].map(
        ([, before = '', key = '', value = '']): GitSetting => ({ section, before, key, value }),
      );
    });
}
