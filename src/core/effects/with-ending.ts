/** Adds a text to a word, for a tool that also takes other names than the one that is written. */
import type { Word } from '../reading/reading.ts';

/** A word whose spellings are not known still has none. */
export const withEnding = (word: Word, value: string): Word =>
  word.kind === 'literal'
    ? { ...word, value: word.value + value }
    : word.spellings === undefined
      ? word
      : {
          ...word,
          spellings: word.spellings.map((each) => ({ ...each, pieces: [...each.pieces, { kind: 'text', value }] })),
        };
