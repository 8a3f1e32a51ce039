/**
 * Options of a session's bash that change what a line means. Our parser assumes that these options have the defaults of an interactive
 * bash. A session reports its options as SHELLOPTS and BASHOPTS. An option that is not listed here does not change the meaning of a line,
 * or other code handles it (`noglob`, `physical`, `extglob`, `autocd`). Source: bash(1), "shopt" and "set".
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/**
 * With `keyword`, more words are assignments; with `cdable_vars` and `cdspell`, `cd` goes elsewhere; with `lastpipe`, another
 * process runs the last command of a pipeline; with `noexec` and `onecmd`, bash does not run every command of the line.
 */
const NEVER_ON: ReadonlySet<string> = new Set(['cdable_vars', 'cdspell', 'keyword', 'lastpipe', 'noexec', 'onecmd']);
/** Options that make bash behave like an older version. bash 5.1 and newer have compat31 to compat44. */
const COMPATIBLE = /^compat\d+$/;
/** Without these options `#` begins no comment, and `$'…'` in `${…}` is no quote. */
const ALWAYS_ON: readonly string[] = ['interactive_comments', 'extquote'];

/**
 * Returns the options that differ from what our parser assumes, as `-s cdspell, -u extquote`; null if no option differs. In an environment
 * without SHELLOPTS and BASHOPTS no option differs.
 */
export function changedOptions(environment: readonly EnvironmentEntry[]): string | null {
  const listOf = (wanted: string) => environment.find(({ name }) => name === wanted)?.value.split(':');
  const shopts = listOf('BASHOPTS');
  const on = [...(listOf('SHELLOPTS') ?? []), ...(shopts ?? [])].filter(
    (option) => NEVER_ON.has(option) || COMPATIBLE.test(option),
  );
  const off = shopts === undefined ? [] : ALWAYS_ON.filter((option) => !shopts.includes(option));
  const changed = [...on.map((option) => `-s ${option}`), ...off.map((option) => `-u ${option}`)];
  return changed.length === 0 ? null : changed.join(', ');
}
