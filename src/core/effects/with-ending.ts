/** Adds an ending to a word. Some tools open not only the named file, but also a file with an ending: `zip a` opens `a.zip`. */
import type { Word } from '../reading/reading.ts';

/**
 * If the spellings of a runtime word are not known, returns the word unchanged: any text may follow the prefix of such a word, and the
 * ending is such a text.
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
