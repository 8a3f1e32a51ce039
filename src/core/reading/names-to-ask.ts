/**
 * The names in a line whose meaning the session's bash must be asked for, besides the words that it finds by itself:
 * `$'\x63at'` is `cat`, and a function of that name would run.
 */
import { hidesWords } from '../reasons/reason.ts';
import type { LineReading } from './line-reading.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { Word } from './reading.ts';

/** The question for all redefined names at once: for a name that is only known at run time. */
const EVERYTHING = '*';

/** Without these characters, all names of a text are among its words: `x}` and `./x=y` are names too, and a function may be named as `~/x` is. */
const MAY_HIDE = /[$`\\{}*?[=~]/;

/** The words that bash finds by itself: the set-up text splits a line in the same way (`__ape_words`). */
function seenByShell(text: string): ReadonlySet<string> {
  const apart = text.replace(/[\s;&|()<>`$"'\\{}=]/g, ' ');
  const together = text.replace(/["'\\]/g, '').replace(/[;&|()<>`${}=]/g, ' ');
  return new Set(`${apart} ${together}`.split(/\s+/));
}

/** Returns null if bash cannot be asked about one of the names. */
export function namesToAsk(line: LineReading, parse: Parse): readonly string[] | null {
  const { text } = line;
  if (!MAY_HIDE.test(text)) return [];
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
  // The prelude of a harness may hide names too, so the whole text is parsed here, not only the command inside.
  const { opaque } = line.parsed.folded === null ? line.parsed : parseText(text, parse);
  if (opaque.some(({ code }) => hidesWords(code))) names.add(EVERYTHING);
  names.delete('');
  return [...names].some((name) => /[\n\0]/.test(name)) ? null : [...names];
}
