/** Stage 1 of a line, parse: from its text to the simple commands that stand there. Both sides call it once for a request. */
import { type FoldedCommand, foldPrelude } from './fold-prelude.ts';
import { type Parse, parseText } from './parse-text.ts';
import type { ParsedText } from './reading.ts';

/**
 * @property text   as it was given
 * @property folded the harness's prelude around the command, or null; the commands are then those of the command inside
 */
export interface ParsedLine extends ParsedText {
  readonly text: string;
  readonly folded: FoldedCommand | null;
}

export function parseLine(text: string, parse: Parse): ParsedLine {
  const folded = foldPrelude(text);
  return { text, folded, ...parseText(folded?.command ?? text, parse) };
}
