/** How many words a word may become at run time, and whether one of them may be taken for an option. */
import type { Word } from '../reading/reading.ts';

/** `many`: each begins with the literal prefix; `splits`: any number of words that may be anything. */
export type WordShape = 'one' | 'many' | 'splits';

/** Globs and braces over plain characters: nothing that is a variable's, a substitution's or a parent directory's. */
const PLAIN_PATTERN = /^~?[\w@%+=:,./*?[\]!^{} "'-]+$/;

/** Whether only file names or a written list decide what the word becomes. */
export const isPlainPattern = (word: Word): boolean =>
  word.kind === 'runtime' && PLAIN_PATTERN.test(word.source) && (word.why !== 'tilde' || word.source.startsWith('~'));

export function shapeOf(word: Word): WordShape {
  if (word.kind === 'literal' || word.isOne) return 'one';
  return isPlainPattern(word) ? 'many' : 'splits';
}

/** Home directories begin with a slash. */
export const isHomeWord = (word: Word): boolean =>
  word.kind === 'runtime' && word.why === 'tilde' && /^~(?:\/|$)/.test(word.source);

/** Whether a program may take the word, or one that it becomes, for an option, without its being written as one. */
export function mayBeOption(word: Word): boolean {
  if (word.kind === 'literal') return false;
  if (shapeOf(word) === 'splits') return true;
  return (word.prefix === '' || word.prefix.startsWith('-')) && !isHomeWord(word);
}
