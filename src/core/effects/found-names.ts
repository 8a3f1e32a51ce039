/** Finds the names of the files that a word with a glob, or with the `{}` of find, may mean. A copy of such a file gets the same name. */
import type { Word } from '../reading/reading.ts';
import { type Spelling, writtenText } from '../reading/spelling.ts';
import { baseName } from '../text/path.ts';
import type { CommandContext } from './command-context.ts';
import { pathOfText } from './known-path.ts';
import { splitSpelling } from './path-of-pattern.ts';

/**
 * For a glob, returns the base names that match. For the `{}` of find, returns only the base names of the path where find starts, and of
 * the paths from `sensitiveBelow`. For braces without a glob, returns the base names as written. A copy of a link gets the name of the link.
 * So if find starts at a link, returns the name of the link and the name of its target. Returns an empty list for a word without
 * spellings. Returns null if the names are not known.
 */
export function foundNamesOfWord(word: Word, context: CommandContext): readonly string[] | null {
  const names: string[] = [];
  for (const spelling of (word.kind === 'runtime' ? word.spellings : null) ?? []) {
    const isFound = spelling.pieces.some(({ kind }) => kind === 'below');
    const found = isFound ? namesBelow(spelling, context) : namesMatched(spelling, context);
    if (found === null) return null;
    names.push(...found.map(baseName));
  }
  return names;
}

/** Returns null for a spelling with text behind `{}` (`{}rc`): this text is a part of the name. */
function namesBelow({ isHome, pieces }: Spelling, context: CommandContext): readonly string[] | null {
  if (pieces.at(-1)?.kind !== 'below') return null;
  const start = pieces.map((piece) =>
    piece.kind === 'below' ? piece.start : piece.kind === 'text' ? piece.value : '',
  );
  const written = homeOf(isHome, context) + start.join('');
  const top = pathOfText(written, context, 'target');
  const below = context.sensitiveBelow?.(top.value) ?? null;
  return below === null ? null : [...below, top.value, pathOfText(written, context, 'itself').value];
}

function namesMatched(spelling: Spelling, context: CommandContext): readonly string[] | null {
  const { directory, pattern } = splitSpelling(spelling);
  if (pattern.length === 0) return [writtenText(spelling).replace(/\/+$/, '')];
  const home = homeOf(spelling.isHome, context);
  const base = pathOfText(home + directory === '' ? '.' : home + directory, context, 'target');
  return context.matchesOf?.(base.value, pattern)?.map(({ name }) => name) ?? null;
}

const homeOf = (isHome: boolean, { home }: CommandContext): string => (isHome ? (home ?? '') : '');
