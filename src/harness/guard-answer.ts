/** The answer of the gate to the hook guard. */
import { visibleJson } from '../core/text/visible-text.ts';

/**
 * Puts a line with the length of the text, in bytes of UTF-8, before the text. If the answer is cut off or mixed with other output, the
 * length does not fit, and the guard (`bin/hook-guard.c`) denies. If the length fits, the guard prints the text without interpreting it.
 *
 * @param text the answer for the harness: JSON in the dialect of the harness, not empty
 */
export function framedAnswer(text: string): string {
  const printed = visibleJson(text);
  return `answer ${Buffer.byteLength(printed)}\n${printed}`;
}
