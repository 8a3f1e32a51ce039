/** Checks whether one component of a glob pattern can match a file name. If this is unclear, the answer is yes. */
import type { Piece } from '../reading/spelling.ts';

/** One component of a path: its texts and globs, in order. No text contains a slash. */
export type Component = readonly Piece[];
/** The components of a path below a known directory; the first component has a glob. */
export type NamePattern = readonly Component[];

export const hasGlob = (component: Component): boolean => component.some(({ kind }) => kind === 'glob');
/** The texts of a component, without its globs. */
export const textOfComponent = (component: Component): string =>
  component.map((piece) => (piece.kind === 'text' ? piece.value : '')).join('');

/** The pattern as text. Equal patterns have equal texts. A backslash escapes each special character in a piece of kind `text`. */
export const namePatternText = (pattern: NamePattern): string =>
  pattern
    .map((component) =>
      component
        .map((piece) =>
          piece.kind === 'text'
            ? piece.value.replaceAll(/[\\*?[\]]/g, '\\$&')
            : piece.kind === 'glob'
              ? piece.source
              : '\\?',
        )
        .join(''),
    )
    .join('/');

type Token =
  | { readonly kind: 'character'; readonly value: string }
  | { readonly kind: 'set'; readonly values: string }
  | { readonly kind: 'any'; readonly mayLack: boolean }
  | { readonly kind: 'star' };

/** Whether the pattern matches this name in at least one locale, if bash's options `dotglob`, `nocaseglob` and `globstar` are off. */
export function mayMatch(component: Component, name: string): boolean {
  const tokens = tokensOf(component);
  const [first] = tokens;
  const isDotWritten = first?.kind === 'character' && first.value === '.';
  if (name.startsWith('.') && !isDotWritten) return false;
  let places = closed(new Set([0]), tokens);
  for (const character of name) {
    const next = new Set<number>();
    for (const at of places) {
      const token = tokens[at];
      if (token?.kind === 'star') next.add(at);
      else if (token !== undefined && takes(token, character)) next.add(at + 1);
    }
    places = closed(next, tokens);
  }
  return places.has(tokens.length);
}

function takes(token: Token, character: string): boolean {
  if (token.kind === 'character') return token.value === character;
  return token.kind !== 'set' || token.values.includes(character);
}

/** Adds each token index that is reached if a `star` or a token with `mayLack` matches no character. */
function closed(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const at of places) {
    const token = tokens[at];
    if (token?.kind === 'star' || (token?.kind === 'any' && token.mayLack)) places.add(at + 1);
  }
  return places;
}

/**
 * In a single-byte locale, `?` matches one byte. A character has up to four bytes. So four `?` in a row can match one character, even if
 * there is a `*` between two `?`.
 */
function tokensOf(component: Component): readonly Token[] {
  const tokens: Token[] = [];
  let row = 0;
  for (const piece of component) {
    if (piece.kind === 'text') {
      row = 0;
      for (const value of piece.value) tokens.push({ kind: 'character', value });
    } else if (piece.kind === 'glob' && piece.source === '*') {
      tokens.push({ kind: 'star' });
    } else {
      const [, values] = (piece.kind === 'glob' ? /^\[([\w.,%+@~]+)\]$/.exec(piece.source) : null) ?? [];
      if (values !== undefined) {
        row = 0;
        tokens.push({ kind: 'set', values });
      } else tokens.push({ kind: 'any', mayLack: row++ % 4 !== 0 });
    }
  }
  return tokens;
}

/** Whether programs can take the file name for something else: an option (`-x`, `+x`), a file of arguments (`@x`), `x=y` or `host:x`. */
export const isMoreThanName = (name: string): boolean => /^[-+@]|[=:]/.test(name);
