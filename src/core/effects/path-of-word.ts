/** Finds the paths that a word may name, from its spellings and the names on the disk. `ANYWHERE` means that the path is not known. */
import type { Word } from '../reading/reading.ts';
import { ANYWHERE, type KnownPath, type PathContext, pathOfText } from './known-path.ts';
import { pathsBelowStart } from './path-below-start.ts';
import { pathsOfSpelling } from './path-of-pattern.ts';

/**
 * Returns every path that the word may name. The list is never empty.
 * @param end `target`: a link at the end of a path is followed; `itself`: such a link is not followed
 */
export function pathsOfWord(word: Word, context: PathContext, end: 'target' | 'itself'): readonly KnownPath[] {
  if (word.kind === 'literal') return [pathOfText(word.value, context, end)];
  const found = new Map<string, KnownPath>();
  for (const spelling of word.spellings ?? []) {
    const paths = spelling.pieces.some(({ kind }) => kind === 'below')
      ? pathsBelowStart(spelling, context, end)
      : pathsOfSpelling(spelling, context, end);
    for (const path of paths) found.set(`${path.isExact} ${path.value}`, path);
  }
  return found.size === 0 ? [ANYWHERE] : [...found.values()];
}

/** Returns the one path that a word names; `ANYWHERE` if the word may name several paths. */
export function pathOfWord(word: Word, context: PathContext, end: 'target' | 'itself'): KnownPath {
  const [path = ANYWHERE, ...more] = pathsOfWord(word, context, end);
  return more.length === 0 ? path : ANYWHERE;
}
