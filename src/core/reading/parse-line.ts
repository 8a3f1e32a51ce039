/** Stage 1 of a line, parse: from its text to its simple commands. Host and server each call it once for a request. */
import { type FoldedCommand, foldPrelude } from './fold-prelude.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { ParsedText } from './reading.ts';

/**
 * @property text   the line as given
 * @property folded the prelude of a harness around the command; null: there is none. With a prelude, `commands` and `opaque` are about the command
 *                  inside it
 */
export interface ParsedLine extends ParsedText {
  readonly text: string;
  readonly folded: FoldedCommand | null;
}

export function parseLine(text: string, parse: Parse): ParsedLine {
  const folded = foldPrelude(text);
  return { text, folded, ...parseText(folded?.command ?? text, parse) };
}
