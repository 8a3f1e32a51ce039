/**
 * Decides which variables of the caller's environment the interactive bash gets at its start.
 *
 * Some variables make bash run something before bash asks for a grant: PROMPT_COMMAND, exported functions, `$(…)` in PS1. Each variable has
 * one of these roles:
 * - A variable of `ACTED_ON` is set from the start if its value is harmless (`Inert`). With any other value the variable is left out.
 * - Exported functions are left out.
 * - Variables that name files for the dynamic linker or for a new bash are set after bash has run its start-up files. So no start-up file
 *   runs with the caller's values. Afterwards, each grant for a line is bound to the values of these variables.
 * - Variables with a name in `OURS` are never set.
 * - All other variables are set from the start. If a variable changes what a line does (PATH, CDPATH), the grant is bound to its value.
 */

/** Tests whether a value is harmless: bash runs nothing because of it. */
type Inert = (value: string) => boolean;

const never: Inert = () => false;
const isNumber: Inert = (value) => /^\d{0,9}$/.test(value);
/**
 * A prompt of names and colours has no backquote, and no octal escape except `\033` and `\007`. `$` comes only before a blank or at the
 * end. `\$` comes only before a blank, before a backslash or at the end.
 */
const isPlainPrompt: Inert = (value) =>
  /^(?:[^\\$`]|\\[\][adehHjlnrstT@AuvVwW!#]|\\033|\\007|\\\$(?=[ \\]|$)|\$(?= |$))*$/.test(value);
const isHistoryFile: Inert = (value) =>
  value === '' || value === '/dev/null' || /^\/(?:[^/]+\/)*[.\w-]*hist(?:ory)?$/.test(value);
const isWords: Inert = (value) => /^[\w:.,-]*$/.test(value);
const isMailPath: Inert = (value) => !/[?%$`]/.test(value);

/**
 * The variables of bash(1) "Shell Variables" that bash sets, or on which bash may act by itself. Each variable has a test for harmless
 * values.
 */
const ACTED_ON: ReadonlyMap<string, Inert> = new Map([
  ...'PS0 PS1 PS2 PS3 PS4'.split(' ').map((name) => [name, isPlainPrompt] as const),
  ...'HISTSIZE HISTFILESIZE IGNOREEOF MAILCHECK PROMPT_DIRTRIM TMOUT COLUMNS LINES CHILD_MAX SHLVL ignoreeof'
    .split(' ')
    .map((name) => [name, isNumber] as const),
  ...'HISTCONTROL BASH_COMPAT'.split(' ').map((name) => [name, isWords] as const),
  ['HISTTIMEFORMAT', (value) => !/[`$]/.test(value)],
  ['HISTFILE', isHistoryFile],
  ['MAIL', isMailPath],
  ['MAILPATH', isMailPath],
  ...(
    'PROMPT_COMMAND SHELLOPTS BASHOPTS POSIXLY_CORRECT POSIX_PEDANTIC POSIX_PEDANDTIC BASH_XTRACEFD BASH_ARGV0 BASH_ARGC BASH_ARGV BASH_ALIASES BASH_CMDS ' +
    'BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_REMATCH BASH_SUBSHELL BASH_VERSINFO BASH_VERSION BASH BASHPID ' +
    'BASH_EXECUTION_STRING BASH_TRAPSIG BASH_MONOSECONDS FUNCNAME FUNCNEST LINENO PIPESTATUS DIRSTACK GROUPS RANDOM SRANDOM ' +
    'SECONDS EPOCHSECONDS EPOCHREALTIME COMPREPLY COMP_WORDS COMP_CWORD COMP_LINE COMP_POINT COMP_TYPE COMP_KEY COPROC ' +
    'READLINE_LINE READLINE_POINT READLINE_MARK READLINE_ARGUMENT HISTCMD histchars MAPFILE OPTARG OPTERR OPTIND REPLY ' +
    'auto_resume IFS'
  )
    .split(' ')
    .map((name) => [name, never] as const),
]);

const LOADER = /^(?:LD_|DYLD_|GCONV_PATH$|GLIBC_TUNABLES$|LOCPATH$)/;
/** Whether the variable controls how the dynamic linker or the C library sets up a program. See ld.so(8) and dyld(1). */
export const isLoaderVariable = (name: string): boolean => LOADER.test(name);
/** Variables whose value names a file that a new bash runs. */
const RUN_BY_BASH = /^(?:BASH_ENV|ENV)$/;
/**
 * Names that the set-up text uses. The set-up text is the bash text that makes the new bash ask the gate. If the environment had variables
 * with these names, bash would export these variables to its children.
 */
const OURS = /^(?:__ape_|_[AB]_$)/;

/**
 * - `given`:    set from the start
 * - `later`:    set after the start-up files
 * - `left-out`: never set; a message names the variable
 * - `ours`:     never set, without a message
 */
export type StartRole = 'given' | 'later' | 'left-out' | 'ours';

export function startRole(name: string, value: string): StartRole {
  if (OURS.test(name)) return 'ours';
  if (name.startsWith('BASH_FUNC_')) return 'left-out';
  if (isLoaderVariable(name) || RUN_BY_BASH.test(name)) return 'later';
  return (ACTED_ON.get(name) ?? (() => true))(value) ? 'given' : 'left-out';
}

const SHOWN_NAMES = 8;

/** One line that names the variables that were left out; empty if no variable was left out. */
export function leftOutText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names
    .slice(0, SHOWN_NAMES)
    .map((name) => /^BASH_FUNC_([\w.-]+)%%$/.exec(name)?.[1]?.concat('()') ?? name);
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  const listed = `${shown.join(', ')}${more}`;
  const them = names.length === 1 ? 'it' : 'them';
  return `ape-shell: not taken from the environment, because bash would act on ${them} before a grant is asked for: ${listed}; set ${them} in ~/.bashrc\n`;
}
