/** Stage 1 of reading a line: parses its text into simple commands. The host and the server each do this once for a request. */
import { type FoldedCommand, foldPrelude } from './fold-prelude.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { ParsedText } from './reading.ts';

/**
 * @property text   the line as given
 * @property folded the prelude that a harness puts around the command; null: none. With a prelude, `commands` and `opaque` are about the
 *                  command inside it
 */
export interface ParsedLine extends ParsedText {
  readonly text: string;
  readonly folded: FoldedCommand | null;
}

export function parseLine(text: string, parse: Parse): ParsedLine {
  const folded = foldPrelude(text);
  return { text, folded, ...parseText(folded?.command ?? text, parse) };
}
