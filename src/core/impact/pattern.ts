/** Reads and matches the shell's globs. */

/**
 * Turns a word of the shell into a glob. Removes the quotes, and puts `\` before each quoted or escaped character that is special in globs.
 * Returns null if a quote is not closed. The word must contain neither `$` expansions nor a `\` inside quotes.
 */
export function globOf(source: string): string | null {
  let glob = '';
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character === '\\') glob += literalIn(glob, source[++at] ?? '');
    else if (character === "'" || character === '"') {
      const end = source.indexOf(character, at + 1);
      if (end === -1) return null;
      glob += literalIn(glob, source.slice(at + 1, end));
      at = end;
    } else glob += character;
  }
  return glob;
}

/**
 * Escapes the quoted text. The caller appends the result to `glob`. Inside a bracket, each quoted character is a member of the set:
 * `[a"-"z]`.
 */
const literalIn = (glob: string, quoted: string): string =>
  isInSet(Array.from(glob)) ? quoted.replace(/./gsu, '\\$&') : escapedGlob(quoted);

/** Whether the glob ends inside a bracket. */
function isInSet(characters: readonly string[]): boolean {
  for (let at = 0; at < characters.length; at++) {
    if (characters[at] === '\\') at++;
    else if (characters[at] === '[') {
      at = endOfSet(characters, at + 1);
      if (at === -1) return true;
    }
  }
  return false;
}

/** Returns the glob that matches only this text. */
export const escapedGlob = (text: string): string => text.replace(/[\\*?[\]{},~]/g, '\\$&');

/** Returns the only text that a glob without wildcards matches. */
export const textOfGlob = (glob: string): string => glob.replace(/\\(.)/gs, '$1');

/** Whether the glob has an unescaped `*`, `?` or `[`. */
export const hasWildcard = (glob: string): boolean => /[*?[]/.test(glob.replace(/\\./gs, ''));

type Piece = '*' | '?' | { readonly text: string } | { readonly set: string; readonly isNegated: boolean };

/** Whether the glob matches the whole name. Takes O(length of name × length of glob). A leading dot is not special here. */
export function matchesShellGlob(glob: string, name: string): boolean {
  const pieces = piecesOf(glob);
  const characters = Array.from(name);
  let [piece, at] = [0, 0];
  // `star`: index of the latest `*` in `pieces`, or -1. `mark`: index of the first character after the text that this `*` matches.
  let [star, mark] = [-1, 0];
  while (at < characters.length) {
    const wanted = pieces[piece];
    if (wanted === '*') {
      star = piece++;
      mark = at;
    } else if (wanted !== undefined && fits(wanted, characters[at] ?? '')) {
      piece++;
      at++;
    } else if (star === -1) return false;
    else {
      piece = star + 1;
      at = ++mark;
    }
  }
  while (pieces[piece] === '*') piece++;
  return piece === pieces.length;
}

function fits(piece: Piece, character: string): boolean {
  if (piece === '?' || piece === '*') return true;
  if ('text' in piece) return piece.text === character;
  return inSet(piece.set, character) !== piece.isNegated;
}

function inSet(set: string, character: string): boolean {
  const named = [...set.matchAll(/\[:(\w+):\]/g)].some(([, name = '']) => CLASSES.get(name)?.test(character) === true);
  if (named) return true;
  const members = set.replace(/\[:\w+:\]/g, '').match(/\\?./gsu) ?? [];
  for (let at = 0; at < members.length; at++) {
    const first = textOfGlob(members[at] ?? '');
    const last = members[at + 2];
    // An escaped hyphen is a member, and makes no range.
    if (members[at + 1] === '-' && last !== undefined) {
      if (first <= character && character <= textOfGlob(last)) return true;
      at += 2;
    } else if (first === character) return true;
  }
  return false;
}

const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alpha', /\p{L}/u],
  ['digit', /[0-9]/],
  ['alnum', /[\p{L}\p{N}]/u],
  ['ascii', /[\x00-\x7f]/],
  ['blank', /[\t\p{Zs}]/u],
  ['cntrl', /\p{Cc}/u],
  ['graph', /[^\p{Cc}\p{Z}]/u],
  ['print', /[^\p{Cc}\u2028\u2029]/u],
  ['upper', /\p{Lu}/u],
  ['lower', /\p{Ll}/u],
  ['punct', /[\p{P}\p{S}]/u],
  ['word', /[\p{L}\p{N}_]/u],
  ['xdigit', /[0-9a-fA-F]/],
  ['space', /\s/],
]);

function piecesOf(glob: string): readonly Piece[] {
  const characters = Array.from(glob);
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '\\') pieces.push({ text: characters[++at] ?? '\\' });
    else if (character === '*' || character === '?') pieces.push(character);
    else if (character === '[') {
      const end = endOfSet(characters, at + 1);
      if (end === -1) pieces.push({ text: '[' });
      else {
        const isNegated = characters[at + 1] === '!' || characters[at + 1] === '^';
        pieces.push({ set: characters.slice(at + (isNegated ? 2 : 1), end).join(''), isNegated });
        at = end;
      }
    } else pieces.push({ text: character });
  }
  return pieces;
}

function endOfSet(characters: readonly string[], from: number): number {
  let at = from;
  if (characters[at] === '!' || characters[at] === '^') at++;
  if (characters[at] === ']') at++;
  for (; at < characters.length; at++) {
    if (characters[at] === '\\') {
      at++;
      continue;
    }
    if (characters[at] === '[' && characters[at + 1] === ':') {
      const end = characters.indexOf(']', at + 2);
      if (end !== -1 && characters[end - 1] === ':') {
        at = end;
        continue;
      }
    }
    if (characters[at] === ']') return at;
  }
  return -1;
}
