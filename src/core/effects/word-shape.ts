/** Finds out how many words a word of the line may become at run time, and whether a program may take one of them for an option. */
import { isAtOrBelow } from '../files/file-operation.ts';
import type { Word } from '../reading/reading.ts';
import { leadingText, type Spelling } from '../reading/spelling.ts';
import { hasGlob, isMoreThanName } from '../text/name-pattern.ts';
import type { CommandContext } from './command-context.ts';
import { splitSpelling } from './path-of-pattern.ts';

/** `one`: exactly one word; `many`: any number of words that begin with the known prefix; `splits`: any number of words with any text. */
export type WordShape = 'one' | 'many' | 'splits';

export function shapeOf(word: Word): WordShape {
  if (word.kind === 'literal' || word.isOne) return 'one';
  return word.spellings === undefined ? 'splits' : 'many';
}

/** Whether the word begins with the home directory (`~` or `~/…`). Such a word is no option: home directories begin with a slash. */
export const isHomeWord = (word: Word): boolean =>
  word.kind === 'runtime' && word.why === 'tilde' && /^~(?:\/|$)/.test(word.source);

export type OptionContext = Pick<CommandContext, 'cwd' | 'matchesOf' | 'resolvePath' | 'earlier'>;

/**
 * Whether a word that bash expands (`$x`, `*`) may become an option; if it may become several words, whether one of them may be an option.
 * False for a literal word, even for `-x`. For a glob, the names that match on the host decide; if they are not known, the answer is yes.
 */
export function mayBeOption(word: Word, context: OptionContext): boolean {
  if (word.kind === 'literal') return false;
  if (word.spellings === undefined)
    return !word.isOne || ((word.prefix === '' || word.prefix.startsWith('-')) && !isHomeWord(word));
  return word.spellings.some((spelling) => !spelling.isHome && mayBeginAsOption(spelling, context));
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
