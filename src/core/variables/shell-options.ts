/**
 * Checks the options of a session's bash. Our parser assumes the defaults of an interactive bash. A session reports its options as
 * SHELLOPTS and BASHOPTS. This file lists the options that may be on, and the options that must be on. If another option is on, for example
 * an option of a newer bash, the meaning of a line is not known. Source: bash(1), "shopt" and "set", of bash 4.4 to 5.3.
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/**
 * @property mustBeOn if one of these options is off, a line has another meaning
 * @property mayBeOn  these options can be on or off. In both cases, a line means what our parser and the rules assume, or does less
 */
interface Options {
  readonly mustBeOn: readonly string[];
  readonly mayBeOn: ReadonlySet<string>;
}

const words = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.flatMap((list) => list.split(' ')));

/**
 * These options, for example, are not in the lists: `keyword` (more words are assignments), `noexec` and `onecmd` (bash does not run every
 * command), `posix`, `noglob`, `physical` (`cd ..` goes elsewhere), `allexport`.
 */
const SHELLOPTS: Options = {
  mustBeOn: ['braceexpand', 'hashall', 'interactive-comments'],
  mayBeOn: words(
    'emacs vi histexpand history ignoreeof monitor nolog notify', // keys, the history, jobs
    'errexit noclobber nounset pipefail', // more commands fail, or bash ends earlier
    'errtrace functrace verbose xtrace', // These affect the user's traps and what bash shows. xtrace expands PS4, which a grant binds.
  ),
};

/**
 * If an option of `mustBeOn` is off:
 * - `expand_aliases`: the aliases that the session reports do not count
 * - `extquote`: `$'…'` in `${…}` is no quote
 * - `interactive_comments`: `#` begins no comment
 * - `sourcepath`: `source` looks for the file elsewhere
 *
 * These options, for example, are not in the lists: `cdable_vars` and `cdspell` (`cd` goes elsewhere), `lastpipe` (another process runs the
 * last command of a pipeline), `nullglob` (removes words), `compat44` and the like, `extdebug`, `xpg_echo`.
 */
const BASHOPTS: Options = {
  mustBeOn: ['expand_aliases', 'extquote', 'interactive_comments', 'sourcepath'],
  mayBeOn: words(
    'autocd dotglob extglob globasciiranges globskipdots globstar nocaseglob', // other code handles these options
    'nocasematch patsub_replacement', // our parser reads all branches of `case`, and `${x/y/z}` has no known value
    'checkjobs checkwinsize cmdhist histappend histreedit histverify huponexit lithist login_shell mailwarn promptvars syslog_history',
    'complete_fullquote direxpand dirspell force_fignore hostcomplete no_empty_cmd_completion progcomp progcomp_alias',
    'bash_source_fullpath execfail failglob gnu_errfmt inherit_errexit restricted_shell shift_verbose varredir_close',
  ),
};

/**
 * Returns the options that differ from what our parser assumes; null: no option differs. Example: `-o keyword, +o braceexpand, -s cdspell,
 * -u extquote`. `set` takes `-o` and `+o`, `shopt` takes `-s` and `-u`. In an environment without SHELLOPTS and BASHOPTS no option differs.
 */
export function changedOptions(environment: readonly EnvironmentEntry[]): string | null {
  const listOf = (wanted: string) => environment.find(({ name }) => name === wanted)?.value.split(':') ?? null;
  const changed = [
    ...differing(listOf('SHELLOPTS'), SHELLOPTS, '-o', '+o'),
    ...differing(listOf('BASHOPTS'), BASHOPTS, '-s', '-u'),
  ];
  return changed.length === 0 ? null : changed.join(', ');
}

function differing(given: readonly string[] | null, options: Options, on: string, off: string): readonly string[] {
  if (given === null) return [];
  const { mustBeOn, mayBeOn } = options;
  const added = given.filter((option) => option !== '' && !mustBeOn.includes(option) && !mayBeOn.has(option));
  const missing = mustBeOn.filter((option) => !given.includes(option));
  return [...added.map((option) => `${on} ${option}`), ...missing.map((option) => `${off} ${option}`)];
}
