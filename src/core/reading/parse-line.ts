/** Stage 1 of reading a line: parses the line's text into simple commands. The host and the server each parse a request's line once. */
import { type FoldedCommand, foldPrelude } from './fold-prelude.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { ParsedText } from './reading.ts';

/**
 * @property text   the line as given
 * @property folded the command, and the text that a harness puts around the command (the prelude); null: no prelude. If there is a
 *                  prelude, `commands` and `opaque` describe only the command
 */
export interface ParsedLine extends ParsedText {
  readonly text: string;
  readonly folded: FoldedCommand | null;
}

export function parseLine(text: string, parse: Parse): ParsedLine {
  const folded = foldPrelude(text);
  return { text, folded, ...parseText(folded?.command ?? text, parse) };
}
