/**
 * Makes an answer in the form in which the gate sends it to the guard (`bin/hook-guard.c`). The first line has the length of the text after
 * it, in bytes of UTF-8. By this length, the guard notices an answer that is cut off or mixed with other output, and refuses the answer.
 * The guard prints the text of any other answer, and does not interpret the text.
 *
 * @param text the answer for the harness, in its dialect; not empty
 */
export const framedAnswer = (text: string): string => `answer ${Buffer.byteLength(text)}\n${text}`;
