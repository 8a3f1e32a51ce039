/**
 * An answer on its way from the gate to the guard (`bin/hook-guard.c`), which hands on what follows the first line and reads none of
 * it: one that is cut off, or that something else was printed beside, is none.
 *
 * @param text for the harness, in its own words; not empty
 */
export const framedAnswer = (text: string): string => `answer ${Buffer.byteLength(text)}\n${text}`;
