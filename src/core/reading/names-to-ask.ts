/**
 * Names in a line whose meaning the shell has to be asked for, beside those of the words it sees by itself: `$'\x63at'` is
 * `cat`, and a function of that name would run.
 */
import { hidesWords } from '../reasons/reason.ts';
import type { LineReading } from './line-reading.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { Word } from './reading.ts';

/** Everything that has a meaning of its own in this shell: for a name that is only known at run time. */
const EVERYTHING = '*';

/** A text without these has no names but its words. */
const MAY_HIDE = /[$`\\{*?[]/;

/** The set-up text cuts a line the same way (`__ape_words`). */
function seenByShell(text: string): ReadonlySet<string> {
  const apart = text.replace(/[\s;&|()<>`$"'\\{}=]/g, ' ');
  const together = text.replace(/["'\\]/g, '').replace(/[;&|()<>`${}=]/g, ' ');
  return new Set(`${apart} ${together}`.split(/\s+/));
}

/** Null when a name cannot be put into a question. */
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
  // A harness's prelude may hide words as well: then the whole text is read, not only the command inside.
  const { opaque } = line.parsed.folded === null ? line.parsed : parseText(text, parse);
  if (opaque.some(({ code }) => hidesWords(code))) names.add(EVERYTHING);
  names.delete('');
  return [...names].some((name) => /[\n\0]/.test(name)) ? null : [...names];
}
