/** Splits a word of a line into its characters, and marks the unquoted characters. */

/**
 * @property text     the character; an empty text marks the beginning of quotes
 * @property isActive whether the character is unquoted. Braces, globs and tildes have their special meaning only if they are unquoted
 */
export interface WrittenCharacter {
  readonly text: string;
  readonly isActive: boolean;
}

/**
 * Returns the characters in their order, without the quotes and backslashes that quote them. Returns null if the word:
 * - is too long
 * - contains an expansion, a line continuation, or a character that would end the word
 * - ends within quotes, or with a backslash that quotes nothing
 */
export function charactersOf(source: string): readonly WrittenCharacter[] | null {
  const found: WrittenCharacter[] = [];
  const all = [...source];
  if (all.length > MAX_WORD_LENGTH) return null;
  for (let at = 0; at < all.length; at++) {
    const character = all[at] ?? '';
    if (ENDS.test(character)) return null;
    if (character === '\\') {
      const next = all[++at];
      if (next === undefined || next === '\n') return null;
      found.push({ text: next, isActive: false });
    } else if (character === "'" || character === '"') {
      const end = takeQuoted(all, at, character, found);
      if (end === null) return null;
      at = end;
    } else found.push({ text: character, isActive: true });
  }
  return found;
}

/** In characters. A longer word is no file name. */
const MAX_WORD_LENGTH = 4096;
/** Characters of expansions and operators, and blanks. */
const ENDS = /[$`()<>;&|\s]/;

/**
 * Adds the quoted characters to `found`, and returns the index of the closing quote. Returns null if the closing quote is missing, or if an
 * expansion or a line continuation is inside the quotes.
 */
function takeQuoted(all: readonly string[], from: number, quote: string, found: WrittenCharacter[]): number | null {
  found.push({ text: '', isActive: false });
  for (let at = from + 1; at < all.length; at++) {
    let character = all[at] ?? '';
    if (character === quote) return at;
    if (quote === '"') {
      if (character === '$' || character === '`') return null;
      const next = all[at + 1] ?? '';
      if (character === '\\' && next === '\n') return null;
      if (character === '\\' && /["\\$`]/.test(next)) {
        character = next;
        at++;
      }
    }
    found.push({ text: character, isActive: false });
  }
  return null;
}
