/** Tells how many words a word of the line may become at run time, and whether a program may parse one of the new words as an option. */
import type { Word } from '../reading/reading.ts';
import { leadingText, type Spelling } from '../reading/spelling.ts';
import { hasGlob, isMoreThanName } from '../text/name-pattern.ts';
import { isAtOrBelow } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import { splitSpelling } from './path-of-pattern.ts';

/**
 * `one`: exactly one word; `many`: zero or more words that all begin with the known prefix; `splits`: zero or more words whose text is not
 * known.
 */
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
 * Whether bash may expand this word (`$x`, `*`) to one or more words that contain an option. False for a literal word, even for `-x`. If a
 * word begins with a glob, the answer depends on the matching file names on the host (`isMoreThanName`). The answer is true if these names
 * are not known, or if an earlier command of the line may change these names.
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
