/**
 * An answer as the gate sends it to the guard (`bin/hook-guard.c`). The guard passes on what follows the first line without
 * reading it. By the length in the first line the guard finds that an answer is cut off, or mixed with other output: that is no
 * answer.
 *
 * @param text for the harness, in its dialect; not empty
 */
export const framedAnswer = (text: string): string => `answer ${Buffer.byteLength(text)}\n${text}`;
