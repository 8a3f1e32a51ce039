/**
 * Globs are patterns with `*`. Matching is case-sensitive. The time for one text is at most proportional to the length of the glob times
 * the length of the text.
 */

/** A glob with more stars is malformed: a person must be able to read a glob. `**` counts as one star. */
export const MAX_STARS = 8;
/** In UTF-16 code units; a longer glob is malformed. */
export const MAX_GLOB_LENGTH = 512;
/** In UTF-16 code units; a longer text matches no glob. */
const MAX_TEXT_LENGTH = 8192;

/** @property gap the text before the literal; `none`: nothing; `one`: text without a separator; `any`: any text */
interface Piece {
  readonly gap: 'none' | 'one' | 'any';
  readonly literal: string;
}

/**
 * @property isOpen whether the glob ends in `**`. If a text matches an open glob, every longer text that begins with this text matches too
 */
export interface Glob {
  readonly pieces: readonly Piece[];
  readonly separators: string;
  readonly isOpen: boolean;
}

/**
 * Parses a glob: `*` matches any text without a character of `separators`, `**` matches any text.
 * @returns null if the glob has a NUL, three stars in a row or more than `MAX_STARS` stars, or is longer than `MAX_GLOB_LENGTH`
 */
export function readGlob(text: string, separators: string): Glob | null {
  if (text.length > MAX_GLOB_LENGTH || text.includes('\0')) return null;
  const found = [...text.matchAll(/(\*+)?([^*]+|$)/g)].filter(([all]) => all !== '');
  const pieces: Piece[] = [];
  for (const [, stars = '', literal = ''] of found) {
    if (stars.length > 2) return null;
    pieces.push({ gap: stars === '' ? 'none' : stars === '*' ? 'one' : 'any', literal });
  }
  if (pieces.filter(({ gap }) => gap !== 'none').length > MAX_STARS) return null;
  return { pieces, separators, isOpen: text.endsWith('**') };
}

/** Whether the whole text matches. False for a text longer than `MAX_TEXT_LENGTH`. */
export function matchesGlob({ pieces, separators }: Glob, text: string): boolean {
  if (text.length > MAX_TEXT_LENGTH) return false;
  let ends: ReadonlySet<number> = new Set([0]);
  for (const { gap, literal } of pieces) {
    ends = gap === 'none' ? exactly(ends, literal, text) : after(ends, gap === 'any' ? '' : separators, literal, text);
    if (ends.size === 0) return false;
  }
  return ends.has(text.length);
}

/** Finds each of `starts` at which the literal begins. Returns the positions at which the literal then ends. */
const exactly = (starts: ReadonlySet<number>, literal: string, text: string): ReadonlySet<number> =>
  new Set([...starts].filter((at) => text.startsWith(literal, at)).map((at) => at + literal.length));

/** Like `exactly`, but with a star between the start and the literal. The star matches no character of `separators`. */
function after(starts: ReadonlySet<number>, separators: string, literal: string, text: string): ReadonlySet<number> {
  const ends = new Set<number>();
  let isReachable = false;
  for (let at = Math.min(...starts); at + literal.length <= text.length; at += 1) {
    if (at > 0 && isReachable && separators.includes(text[at - 1] ?? '')) isReachable = false;
    if (starts.has(at)) isReachable = true;
    if (isReachable && text.startsWith(literal, at)) ends.add(at + literal.length);
  }
  return ends;
}
