/**
 * Options of a session's bash that change what a line means. The reading assumes the defaults of an interactive bash for these; a session
 * reports its options as SHELLOPTS and BASHOPTS. Options that are not listed change only how the shell behaves, or are looked at where
 * they matter (`noglob`, `physical`, `extglob`). Source: bash(1), "shopt" and "set".
 */
import type { EnvironmentEntry } from '../grant/request.ts';

/** With them a word becomes an assignment, `cd` goes elsewhere, or another process runs a command. */
const NEVER_ON: ReadonlySet<string> = new Set(['cdable_vars', 'cdspell', 'keyword', 'lastpipe', 'noexec', 'onecmd']);
/** bash 5.1 and newer: compat31 to compat44. */
const COMPATIBLE = /^compat\d+$/;
/** Without them `#` begins no comment, and `$'…'` in `${…}` is no quote. */
const ALWAYS_ON: readonly string[] = ['interactive_comments', 'extquote'];

/** The options that differ, as `-s cdspell` or `-u extquote`, separated by commas; null: none. */
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
