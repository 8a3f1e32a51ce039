/**
 * Finds the spellings of a word: what the word may become, as sequences of texts and globs. A word with an expansion (`$NAME`) has no
 * spellings, because such a word depends on more than its text and file names. A word with braces becomes several words, with one
 * spelling each.
 */
import { expandBraces } from './brace-expansion.ts';
import { charactersOf, type WrittenCharacter } from './written-characters.ts';

/**
 * - `text`:  a plain text
 * - `glob`:  `*`, `?` or `[…]` as written; a glob never matches a slash
 * - `below`: a path that find puts in place of `{}`: `start`, or a path below it. If `isFile`, find chooses only regular files, no links
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

/** Returns null if the word may become anything. Leaves out an empty word from braces (`{a,}`): bash removes such a word too. */
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

/** Returns null for `~user`, `~+`, `~-` and an unclear bracket. Only in `~` and `~/…` does the tilde mean the home directory. */
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
 * Returns the index of the closing `]`.
 * - `unclear`: a quoted character, a slash or another `[` comes before the `]`, or the only `]` is the first character of the set
 * - `text`:    the rest of the word has no `]`, no `[`, no slash and no quoted character
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
 * Returns the text of the pieces. Globs stay as written. The home directory is left out. bash uses this text if the pattern matches
 * no file. For a `below` piece, the text is `start`.
 */
export const writtenText = ({ pieces }: Spelling): string =>
  pieces
    .map((piece) => (piece.kind === 'text' ? piece.value : piece.kind === 'glob' ? piece.source : piece.start))
    .join('');

/** Returns the known text at the beginning of the pieces, without the home directory. */
export function leadingText({ pieces: [first] }: Spelling): string {
  return first?.kind === 'text' ? first.value : first?.kind === 'below' ? first.start : '';
}

/** Returns the spelling without its first `from` UTF-16 units; null if one of these units is not known text. */
export function spellingFrom({ isHome, pieces }: Spelling, from: number): Spelling | null {
  if (from === 0) return { isHome, pieces };
  const [first, ...more] = pieces;
  if (isHome || first?.kind !== 'text' || first.value.length < from) return null;
  const value = first.value.slice(from);
  return { isHome: false, pieces: value === '' ? more : [{ kind: 'text', value }, ...more] };
}
