/** Adds an ending to a word. Some tools open not only the named file, but also a file with an ending: `zip a` opens `a.zip`. */
import type { Word } from '../reading/reading.ts';

/**
 * Returns a runtime word unchanged if its spellings are not known. Such a word may already have any text after its prefix, also the ending.
 */
export const withEnding = (word: Word, value: string): Word =>
  word.kind === 'literal'
    ? { ...word, value: word.value + value }
    : word.spellings === undefined
      ? word
      : {
          ...word,
          spellings: word.spellings.map((each) => ({ ...each, pieces: [...each.pieces, { kind: 'text', value }] })),
        };
