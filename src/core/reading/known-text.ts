/** Finds the part of a word's text that is known before the line runs. */
import type { Word } from './reading.ts';

/** Returns the whole text of a literal word. Of any other word, returns the known text at its beginning; this text can be empty. */
export const knownText = (word: Word): string => (word.kind === 'literal' ? word.value : word.prefix);
