/** The variables that a line possibly sets: by an assignment, as the variable of a loop, or as an argument of a builtin. */
import { knownText } from './known-text.ts';
import type { SimpleCommand, Word } from './reading.ts';

/**
 * The result may also contain other words: arguments of programs, if they look like names. An extra name can only make the gate stricter: a grant then
 * also binds the attributes of the variable with this name (`boundEntries`). The result leaves out variables that an expansion or
 * arithmetic sets (`${v:=x}`, `((v=1))`): a line with these is opaque.
 */
export function settableVariables(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  return new Set(
    commands.flatMap(({ assignments, words }) => [...assignments.map(({ name }) => name), ...words.flatMap(namedBy)]),
  );
}

/** Returns the name in `NAME`, `NAME=…`, `NAME+=…` or `NAME[…`; an empty list for any other word. */
function namedBy(word: Word): readonly string[] {
  const [, name] = /^([A-Za-z_][A-Za-z0-9_]*)(?:\+?=|\[|$)/.exec(knownText(word)) ?? [];
  return name === undefined ? [] : [name];
}
