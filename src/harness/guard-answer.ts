/** The answer of the gate to the hook guard. */
import { visibleJson } from '../core/text/visible-text.ts';

/**
 * Makes an answer in the form in which the gate sends it to the guard (`bin/hook-guard.c`). The first line has the length of the text after
 * it, in bytes of UTF-8. By this length, the guard notices an answer that is cut off or mixed with other output, and refuses the answer.
 * The guard prints the text of any other answer, and does not interpret the text.
 *
 * @param text the answer for the harness, in its dialect, which is JSON; not empty
 */
export function framedAnswer(text: string): string {
  const printed = visibleJson(text);
  return `answer ${Buffer.byteLength(printed)}\n${printed}`;
}
