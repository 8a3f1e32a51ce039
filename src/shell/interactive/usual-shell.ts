/**
 * Variables that every bash has, even `bash -c`. Bash does not export these variables: a session reports them, and a one-shot call cannot
 * report them. A grant does not bind a variable that has its usual value. So a grant for a line of a session covers the same line in a
 * one-shot call, and a grant for a one-shot call covers the same line in a session.
 */
import { DEFAULT_LOADABLES_PATH } from '../../core/variables/usual-variables.ts';

const USUAL: Readonly<Record<string, string>> = {
  IFS: ' \t\n',
  PS4: '+ ',
  BASH_LOADABLES_PATH: DEFAULT_LOADABLES_PATH,
};

/**
 * Options that are on in `bash -c` of bash 5.2. If one of these options is off, a line may have another meaning. Bash 5.1 lacks some of
 * these options. So the BASHOPTS of bash 5.1 is never usual.
 */
const ON: Readonly<Record<string, readonly string[]>> = {
  BASHOPTS:
    'checkwinsize cmdhist complete_fullquote extquote force_fignore globasciiranges globskipdots hostcomplete interactive_comments patsub_replacement progcomp promptvars sourcepath'.split(
      ' ',
    ),
  SHELLOPTS: ['braceexpand', 'hashall', 'interactive-comments'],
};
/**
 * Options that are on in a new session, and off in `bash -c`. `monitor` decides whether `lastpipe` works, and `expand_aliases` decides
 * whether an alias or a function of the same name runs.
 */
const ON_IN_SESSIONS: Readonly<Record<string, readonly string[]>> = {
  BASHOPTS: ['expand_aliases'],
  SHELLOPTS: ['monitor'],
};
/** Options for keys, prompts and the history. A session may turn these options on. They change no line that does not read options. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  ...['checkjobs', 'dirspell', 'histappend', 'histreedit', 'histverify', 'lithist', 'login_shell'],
  ...['mailwarn', 'no_empty_cmd_completion', 'progcomp_alias', 'direxpand', 'huponexit'],
  ...['emacs', 'vi', 'histexpand', 'history', 'ignoreeof', 'notify'],
]);

/**
 * Whether a line of a session means the same with this value as with the value in `bash -c`; false for a variable that this file does not
 * list.
 * @param readsOptions whether the line may read the options; then no options are usual
 */
export function isUsualOfShell(name: string, value: string, readsOptions: boolean): boolean {
  if (Object.hasOwn(USUAL, name)) return value === USUAL[name];
  const on = [...(ON[name] ?? []), ...(ON_IN_SESSIONS[name] ?? [])];
  if (on.length === 0 || readsOptions) return false;
  const given = new Set(value.split(':'));
  return (
    on.every((option) => given.has(option)) &&
    [...given].every((option) => on.includes(option) || OF_SESSIONS.has(option))
  );
}
