/**
 * Decides which entries of a request's environment are usual. The approver is shown all other entries.
 * - HOME, TMPDIR, SHELLOPTS and BASHOPTS are usual with any value.
 * - The other variables in this file are usual only with certain values: PATH with directories of the system, PAGER with a known pager.
 * - All other entries are never usual. An entry with a digest instead of a value is never usual.
 */
import type { EnvironmentEntry } from '../grant/request.ts';
import { sensitivityOfName } from '../sensitive/sensitive-paths.ts';
import { isSafeLocale } from './character-set.ts';

const USUAL: ReadonlySet<string> = new Set(['HOME', 'TMPDIR', 'SHELLOPTS', 'BASHOPTS']);

/** Whether the variable names a locale in which bash reads a line as our parser does. */
const isUsualLocale = (name: string, value: string): boolean =>
  ['LANG', 'LC_ALL', 'LC_CTYPE', 'LC_COLLATE'].includes(name) && isSafeLocale(name, value);

/** The default of bash for BASH_LOADABLES_PATH. With another value, bash can load code from other directories. */
export const DEFAULT_LOADABLES_PATH =
  '/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.';

const PLACE = '(?:(?:/usr(?:/local)?)?/bin/|/opt/homebrew/bin/)';
/**
 * Editors with their usual options. Other options may run code: `emacs --script`, `vim -s`, `nvim -l`. If the value ends with such an
 * option, the file to edit becomes the argument of the option, and the editor runs the file.
 */
const EDITOR = new RegExp(
  `^${PLACE}?(?:${[
    'vi|nvim|nano|pico|ed|micro|hx',
    'vim(?: -f)?',
    'emacs(?: -nw| --no-window-system)?',
    '(?:code|codium|cursor)(?:(?: -n| --new-window)?(?: -w| --wait))?',
    'zed(?: --wait)?',
    'subl(?:(?: -n| --new-window)?(?: -w| --wait))?',
  ].join('|')})$`,
);

/** Whether the value of EDITOR, or of git's setting `core.editor`, is a usual editor with its usual options. */
export const isUsualEditor = (value: string): boolean => EDITOR.test(value);

/** The usual values of the variables that name a program, options, a socket or a text. */
const USUAL_VALUES: Readonly<Record<string, RegExp>> = {
  SHELL: new RegExp(`^${PLACE}(?:ba|z|da|k|fi)?sh$|^${PLACE}ape-shell$`),
  IFS: /^ \t\n$/,
  PS4: /^\++ $/,
  EDITOR,
  VISUAL: EDITOR,
  PAGER: new RegExp(`^${PLACE}?(?:less(?: -[FRXSMi]+)?|more|most|cat)$`),
  LESS: /^(?: ?-?[FRXSMiJNQqeEwWg])+$/,
  LESSOPEN: /^\|{0,2} ?(?:\/usr)?\/bin\/lesspipe(?:\.sh)? %s$/,
  LESSCLOSE: /^(?:\/usr)?\/bin\/lesspipe(?:\.sh)? %s %s$/,
  LANGUAGE: /^[A-Za-z_.@:-]*$/,
  XDG_RUNTIME_DIR: /^\/run\/user\/\d+$/,
  DBUS_SESSION_BUS_ADDRESS: /^unix:path=\/run\/user\/\d+\/bus$/,
};

/** Variables with a list of directories that programs search from the first to the last. */
const LISTS: ReadonlySet<string> = new Set(['PATH', 'XDG_CONFIG_DIRS', 'XDG_DATA_DIRS']);
/** Directories of the system, and directories that package managers fill. */
const OF_SYSTEM =
  /^\/(?:usr|bin|sbin|etc|System|Library|opt|snap|nix\/store|run\/current-system|var\/lib\/(?:flatpak|snapd)|home\/linuxbrew)\//;
const USUAL_HOME = /^\/(?:root|(?:home|Users|var\/home|export\/home|var\/lib)\/[^/]+)$/;

/**
 * Whether each directory belongs to the system, to a package manager or to the user. A directory counts only if the table of sensitive
 * paths raises the risk of a write into the directory. Otherwise a command of low or medium risk could put a program there, and that
 * program would run in place of a program of the system. A package manager's directory needs this check too, because on many hosts that
 * directory belongs to the user. Behind both /usr/bin and /bin, PATH may have any absolute directory: a program of the system is found
 * first.
 */
function isUsualList(name: string, value: string, home: string): boolean {
  const directories = value.split(':').map((directory) => directory.replace(/(?<=.)\/+$/, ''));
  const places = ['/usr/bin', '/bin'].map((directory) => directories.indexOf(directory));
  const last = name === 'PATH' && !places.includes(-1) ? Math.max(...places) : directories.length;
  return directories.every((each, at) => isOfSystem(each) || isOfUser(each, home) || (at > last && isPlainPath(each)));
}

const isPlainPath = (directory: string): boolean => directory.startsWith('/') && !/\/\.{0,2}(?:\/|$)/.test(directory);
const isOfSystem = (directory: string): boolean => OF_SYSTEM.test(`${directory}/`) && isGuarded(directory);
const isOfUser = (directory: string, home: string): boolean =>
  USUAL_HOME.test(home) && directory.startsWith(`${home}/.`) && isGuarded(directory);
const isGuarded = (directory: string): boolean =>
  isPlainPath(directory) && sensitivityOfName(`${directory}/x`, 'write') !== null;

/** @param home the value of HOME in the same request; empty if the request has no HOME */
function isUsualEntry({ name, value, digest }: EnvironmentEntry, home: string): boolean {
  if (digest === true) return false;
  if (USUAL.has(name) || isUsualLocale(name, value)) return true;
  if (name === 'BASH_LOADABLES_PATH') return value === DEFAULT_LOADABLES_PATH;
  return LISTS.has(name) ? isUsualList(name, value, home) : (USUAL_VALUES[name]?.test(value) ?? false);
}

/** Returns the entries that are not usual, in the same order, for the approver: `GIT_DIR`, `alias ls`, `function cd`. */
export function oddEntries(environment: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] {
  const home = environment.find(({ name }) => name === 'HOME')?.value ?? '';
  return environment.filter((entry) => !isUsualEntry(entry, home));
}
