/** A word of a line, character by character: what is quoted, and what still means something to bash. */

/** @property isActive unquoted: braces, globs and tildes count; an empty text marks where quotes began */
export interface WrittenCharacter {
  readonly text: string;
  readonly isActive: boolean;
}

/** Null: there is something in it that only bash can tell, or that ends a word. */
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

/** Longer ones are no names. */
const MAX_WORD_LENGTH = 4096;
/** Expansions, operators and blanks. */
const ENDS = /[$`()<>;&|\s]/;

/** The place of the closing quote. */
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
