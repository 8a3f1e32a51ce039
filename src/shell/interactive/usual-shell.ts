/**
 * Variables that every bash has, as `bash -c` has them too: a session reports them, and a one-shot call cannot, because
 * they are not exported there. While they have their usual values, a grant from one side holds on the other.
 */

const IFS = ' \t\n';
const PS4 = '+ ';

/** On in `bash -c`, and there in every bash since 5.1 or 5.2: one that is missing changes what a line means. */
const ON: Readonly<Record<string, readonly string[]>> = {
  BASHOPTS:
    'checkwinsize cmdhist complete_fullquote extquote force_fignore globasciiranges globskipdots hostcomplete interactive_comments patsub_replacement progcomp promptvars sourcepath'.split(
      ' ',
    ),
  SHELLOPTS: ['braceexpand', 'hashall', 'interactive-comments'],
};
/** About keys, prompts, the history and jobs; aliases are listed one by one. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  ...['checkjobs', 'dirspell', 'expand_aliases', 'histappend', 'histreedit', 'histverify', 'lithist', 'login_shell'],
  ...['mailwarn', 'no_empty_cmd_completion', 'progcomp_alias', 'direxpand', 'huponexit'],
  ...['emacs', 'vi', 'histexpand', 'history', 'monitor', 'ignoreeof', 'notify'],
]);

/** Whether the value is what a line of `bash -c` runs with. */
export function isUsualOfShell(name: string, value: string): boolean {
  if (name === 'IFS') return value === IFS;
  if (name === 'PS4') return value === PS4;
  const on = ON[name];
  if (on === undefined) return false;
  const given = new Set(value.split(':'));
  return (
    on.every((option) => given.has(option)) &&
    [...given].every((option) => on.includes(option) || OF_SESSIONS.has(option))
  );
}
