/** How many words a word may become at run time, and whether one of them may be taken for an option. */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { Word } from '../reading/reading.ts';
import { leadingText, type Spelling } from '../reading/spelling.ts';
import { hasGlob, isMoreThanName } from '../text/name-pattern.ts';
import type { CommandContext } from './command-context.ts';
import { splitSpelling } from './path-of-pattern.ts';

/** `many`: each begins with the literal prefix; `splits`: any number of words that may be anything. */
export type WordShape = 'one' | 'many' | 'splits';

export function shapeOf(word: Word): WordShape {
  if (word.kind === 'literal' || word.isOne) return 'one';
  return word.spellings === undefined ? 'splits' : 'many';
}

/** Home directories begin with a slash. */
export const isHomeWord = (word: Word): boolean =>
  word.kind === 'runtime' && word.why === 'tilde' && /^~(?:\/|$)/.test(word.source);

export type OptionContext = Pick<CommandContext, 'cwd' | 'matchesOf' | 'resolvePath' | 'earlier'>;

/**
 * Whether a program may take the word, or one that it becomes, for an option, without its being written as one. Names that
 * a glob matches are those that the host sees.
 */
export function mayBeOption(word: Word, context: OptionContext): boolean {
  if (word.kind === 'literal') return false;
  if (word.spellings === undefined)
    return !word.isOne || ((word.prefix === '' || word.prefix.startsWith('-')) && !isHomeWord(word));
  return word.spellings.some((each) => !each.isHome && mayBeginAsOption(each, context));
}

function mayBeginAsOption(spelling: Spelling, { cwd, matchesOf, resolvePath, earlier }: OptionContext): boolean {
  const [first] = spelling.pieces;
  if (first === undefined) return false;
  if (first.kind !== 'glob') return leadingText(spelling).startsWith('-') || leadingText(spelling) === '';
  const { pattern } = splitSpelling(spelling);
  const [begin] = pattern;
  if (cwd === null || matchesOf === undefined || begin === undefined || !hasGlob(begin)) return true;
  const directory = resolvePath(cwd, 'target');
  if (earlier?.named.some((area) => isAtOrBelow(directory, area)) === true) return true;
  const found = matchesOf(directory, pattern);
  return found === null || found.some(({ name }) => isMoreThanName(name));
}
