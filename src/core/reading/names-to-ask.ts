/**
 * Finds the names about which the gate must ask the session's bash. bash itself sends the meanings of the written words of a line. But the
 * name of a command need not be a written word: `$'\x63at'` is `cat`, and a function named `cat` would run. `'a b'` is no written word
 * either: `__ape_words` splits the line at each blank, even inside quotes. The name of a variable that the line may set need not be a
 * written word either.
 */
import { hidesWords } from '../reasons/reason.ts';
import type { LineReading } from './line-reading.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { Word } from './reading.ts';

/** Asks bash for all aliases and functions. Needed if a name is only known at run time, or if words of the line were not read. */
const EVERYTHING = '*';

/** Returns the written words of a line. `__ape_words` in the set-up text finds the same words, and sends the meaning of each word. */
function seenByShell(text: string): ReadonlySet<string> {
  const apart = text.replace(/[\s;&|()<>`$"'\\{}=]/g, ' ');
  const together = text.replace(/["'\\]/g, '').replace(/[;&|()<>`${}=]/g, ' ');
  return new Set(`${apart} ${together}`.split(/\s+/));
}

/**
 * Returns names of commands and variables, in no particular order. Adds `*` if bash must be asked for all aliases and functions.
 * An empty list means that bash need not be asked.
 * Returns null if a name contains a newline or a NUL: bash cannot be asked about such a name.
 */
export function namesToAsk(line: LineReading, parse: Parse): readonly string[] | null {
  const { text } = line;
  const seen = seenByShell(text);
  const names = new Set<string>();
  const note = (word: Word | undefined) => {
    if (word?.kind === 'runtime') names.add(EVERYTHING);
    else if (word !== undefined && !seen.has(word.value)) names.add(word.value);
  };
  for (const { command, through } of line.commands.commands) {
    note(command.words[0]);
    for (const { program } of through) note(program);
  }
  for (const name of line.settable) if (!seen.has(name)) names.add(name);
  // The prelude of a harness may hide names too. So the whole text is parsed here, not only the command behind the prelude.
  const { opaque } = line.parsed.folded === null ? line.parsed : parseText(text, parse);
  if (opaque.some(({ code }) => hidesWords(code))) names.add(EVERYTHING);
  names.delete('');
  return [...names].some((name) => /[\n\0]/.test(name)) ? null : [...names];
}
