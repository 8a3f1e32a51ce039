/**
 * The spellings of a word whose value depends only on its text and on file names. A spelling is a sequence of texts and globs. A word
 * with braces becomes several words, with one spelling each. A word whose spellings are not known may become anything.
 */
import { expandBraces } from './brace-expansion.ts';
import { charactersOf, type WrittenCharacter } from './written-characters.ts';

/**
 * - `text`:  a plain text
 * - `glob`:  `*`, `?` or `[…]` as written; it never matches a slash
 * - `below`: a path that find puts in place of `{}`: `start`, or any path below it; `isFile`: find chooses regular files only, no links
 */
export type Piece =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'glob'; readonly source: string }
  | { readonly kind: 'below'; readonly start: string; readonly isFile: boolean };

/** @property isHome whether the home directory is in front of the pieces */
export interface Spelling {
  readonly isHome: boolean;
  readonly pieces: readonly Piece[];
}

export const spelledText = (value: string): Spelling => ({
  isHome: false,
  pieces: value === '' ? [] : [{ kind: 'text', value }],
});

/** Returns null if the word may become anything. An empty word from braces, as the second one of `{a,}`, is left out: bash removes it. */
export function spellingsOf(source: string): readonly Spelling[] | null {
  const characters = charactersOf(source);
  const words = characters === null ? null : expandBraces(characters);
  if (words === null) return null;
  const found: Spelling[] = [];
  for (const word of words) {
    const spelling = spellingOf(word);
    if (spelling === null) return null;
    if (word.length > 0) found.push(spelling);
  }
  return found;
}

/** Returns null for `~user`, `~+`, `~-` and an unclear bracket. Only `~` and `~/…` are the home directory. */
function spellingOf(word: readonly WrittenCharacter[]): Spelling | null {
  const [first, second] = word;
  const isHome = first?.isActive === true && first.text === '~';
  if (isHome && second !== undefined && !(second.isActive && second.text === '/')) return null;
  const pieces = piecesOf(isHome ? word.slice(1) : word);
  return pieces === null ? null : { isHome, pieces };
}

function piecesOf(word: readonly WrittenCharacter[]): readonly Piece[] | null {
  const pieces: Piece[] = [];
  for (let at = 0; at < word.length; at++) {
    const { text, isActive } = word[at] ?? { text: '', isActive: false };
    if (isActive && (text === '*' || text === '?')) pieces.push({ kind: 'glob', source: text });
    else if (isActive && text === '[') {
      const end = endOfBracket(word, at);
      if (end === 'unclear') return null;
      if (end === 'text') addText(pieces, text);
      else {
        pieces.push({ kind: 'glob', source: textOf(word.slice(at, end + 1)) });
        at = end;
      }
    } else addText(pieces, text);
  }
  return pieces;
}

const textOf = (word: readonly WrittenCharacter[]): string => word.map(({ text }) => text).join('');

/**
 * Returns the index of the closing `]`. Returns `unclear` if a quote, a slash or another `[` comes before it, or if the only `]` is the
 * first character. Returns `text` if the rest of the word has none of these characters.
 */
function endOfBracket(word: readonly WrittenCharacter[], open: number): number | 'text' | 'unclear' {
  let at = open + 1;
  if (word[at]?.isActive === true && /^[!^]$/.test(word[at]?.text ?? '')) at += 1;
  const first = at;
  for (; at < word.length; at++) {
    const { text, isActive } = word[at] ?? { text: '', isActive: false };
    if (!isActive || text === '/' || text === '[') return 'unclear';
    if (text === ']' && at > first) return at;
  }
  return word.slice(open + 1).some(({ text }) => text === ']') ? 'unclear' : 'text';
}

function addText(pieces: Piece[], value: string): void {
  const last = pieces.at(-1);
  if (last?.kind === 'text') pieces[pieces.length - 1] = { kind: 'text', value: last.value + value };
  else if (value !== '') pieces.push({ kind: 'text', value });
}

/**
 * The text of the pieces with globs as written, without the home directory in front of them. bash uses this text if the pattern matches
 * nothing. For a path that find puts in, the text is the starting point.
 */
export const writtenText = ({ pieces }: Spelling): string =>
  pieces
    .map((piece) => (piece.kind === 'text' ? piece.value : piece.kind === 'glob' ? piece.source : piece.start))
    .join('');

/** The known text at the beginning of the pieces, without the home directory in front of them. */
export function leadingText({ pieces: [first] }: Spelling): string {
  return first?.kind === 'text' ? first.value : first?.kind === 'below' ? first.start : '';
}

/** The spelling without its first `from` UTF-16 units; null if these are not all known text. */
export function spellingFrom({ isHome, pieces }: Spelling, from: number): Spelling | null {
  if (from === 0) return { isHome, pieces };
  const [first, ...more] = pieces;
  if (isHome || first?.kind !== 'text' || first.value.length < from) return null;
  const value = first.value.slice(from);
  return { isHome: false, pieces: value === '' ? more : [{ kind: 'text', value }, ...more] };
}
