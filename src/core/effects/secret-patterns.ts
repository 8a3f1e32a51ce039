/**
 * Finds out whether a pattern chooses files with secrets: `*.pe?`, `.en[v]`, `.[/]env`, `.[s]sh/**`. In find's -path and in git's
 * pathspecs, wildcards also match a slash (fnmatch(3) without FNM_PATHNAME). So each piece between any two possible slashes is checked.
 * A piece can contain further slashes.
 */
import { SECRET_EXAMPLES } from '../sensitive/sensitive-places.ts';

export const isPattern = (text: string): boolean => /[*?[\\]/.test(text);

/**
 * A piece with wildcards is a pattern for secrets in two cases: `isSecret` is true for its text; or the piece matches at least one name in
 * `SECRETS`, and no name in `ORDINARY`.
 */
const SECRETS = [
  ...SECRET_EXAMPLES,
  ...['.ssh/config', '.ssh/id_rsa', '.aws/credentials', '.aws/config', '.kube/config', '.config/gh/hosts.yml'],
  '.cargo/credentials.toml',
];
const ORDINARY = [
  ...['a', 'main.ts', 'README.md', 'package.json', 'x.sh', '.x', '.gitignore', 'k.h', 'index.html', 'keys.py', 'x.yml'],
  ...['src/main.ts', 'src/package.json', 'a/b/README.md', '.x/y', '.config/x/y', '.cargo/config.toml', 'src/.x'],
  ...['.local/share/x/y', '.local/state/x/y', 'Library/x/y', 'src/keys.py'],
].flatMap((name) => [name, name.toUpperCase(), name.charAt(0).toUpperCase() + name.slice(1)]);

/** The most tokens in a pattern. A longer pattern counts as a pattern for secrets: a person could not read such a pattern. */
const MAX_TOKENS = 1000;
/** The most tokens that are a slash or may match a slash. The time of the check grows with the square of this number. */
const MAX_SEPARATORS = 40;
/** The most slashes in a piece. Paths of secrets are short: if a longer piece matches secrets, a part of this piece also matches. */
const MAX_SLASHES = 16;

/**
 * Whether the pattern chooses files with secrets, and not just all files. True also if the pattern is too long to check, or
 * if the end of a bracket is not certain. Case is ignored.
 * @param isSecret whether a file with this name or path has secrets; the text can contain `*` and `?` for the wildcards of the pattern
 */
export function meansSecrets(pattern: string, isSecret: (name: string) => boolean): boolean {
  const tokens = tokensOf(pattern);
  return tokens === null || piecesOf(tokens).some((piece) => fitsSecretsOnly(piece, isSecret));
}

/**
 * A character or a wildcard of the pattern. Tools read some brackets in different ways.
 * @property wide          matches each character that the token matches in at least one tool; ignores upper and lower case
 * @property narrow        matches each character that the token matches in every tool
 * @property text          the one text that the token matches; null: the token matches several texts
 * @property isStar        whether the token matches any number of characters
 * @property isSeparating  whether the token is a slash or may match a slash
 */
interface Token {
  readonly wide: RegExp;
  readonly narrow: RegExp;
  readonly text: string | null;
  readonly isStar: boolean;
  readonly isSeparating: boolean;
}

const ANY = '[\\s\\S]';
const NONE = '(?!)';
const TOKENS = /\\([\s\S])|\*+|\?|[\s\S]/y;

/** Returns null if the end of a bracket is not certain, or if there are too many tokens or separators. */
function tokensOf(pattern: string): readonly Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const bracket = pattern[at] === '[' ? bracketAt(pattern, at) : null;
    if (bracket === 'unclear' || tokens.length === MAX_TOKENS) return null;
    TOKENS.lastIndex = at;
    const [token = '', escaped] = TOKENS.exec(pattern) ?? [];
    tokens.push(bracket?.token ?? tokenOf(token, escaped));
    at = bracket?.end ?? at + token.length;
  }
  return tokens.filter(({ isSeparating }) => isSeparating).length > MAX_SEPARATORS ? null : tokens;
}

function tokenOf(token: string, escaped: string | undefined): Token {
  if (escaped !== undefined) return one(escaped);
  if (token.startsWith('*')) return { ...several(ANY, ANY), isStar: true };
  return token === '?' ? several(ANY, ANY) : one(token);
}

const tokenFor = (wide: string, narrow: string, text: string | null): Token => {
  const [wideOne, narrowOne] = [new RegExp(`^(?:${wide})$`, 'i'), new RegExp(`^(?:${narrow})$`)];
  return { wide: wideOne, narrow: narrowOne, text, isStar: false, isSeparating: wideOne.test('/') };
};
const one = (text: string): Token => tokenFor(literal(text), literal(text), text);
const several = (wide: string, narrow: string): Token => tokenFor(wide, narrow, null);

/**
 * Matches a bracket that contains no backslash, and whose first character is not `]`. The bracket may have classes such as `[:alpha:]`.
 * Such a bracket ends at the same place in all tools, unless another `[` in the bracket begins a symbol, as in `[=e=]` and `[.e.]`.
 * `SYMBOL` finds symbols.
 */
const BRACKET = /\[([!^]?)((?:\[:[a-z]{1,10}:\]|[^\]\\])(?:\[:[a-z]{1,10}:\]|[^\]\\])*)\]/y;
const SYMBOL = /\[([:=.])[\s\S]*\1\]/;
const CLASSES = /\[:([a-z]+):\]/g;

/** Returns null if no `]` follows: the `[` at `from` is then literal. Returns `unclear` if the end of the bracket is not certain. */
function bracketAt(pattern: string, from: number): { readonly token: Token; readonly end: number } | 'unclear' | null {
  if (!pattern.includes(']', from)) return null;
  BRACKET.lastIndex = from;
  const [whole, sign = '', inside = ''] = BRACKET.exec(pattern) ?? [];
  if (whole === undefined || /^[!^]/.test(inside)) return 'unclear';
  // The search for symbols takes quadratic time, so a long bracket is not searched.
  if (whole.length > MAX_TOKENS || SYMBOL.test(`${inside.replaceAll(CLASSES, '')}]`)) return 'unclear';
  return { token: bracketToken(sign, inside), end: from + whole.length };
}

function bracketToken(sign: string, inside: string): Token {
  if (sign === '' && inside.length === 1) return one(inside);
  const set = setOf(inside);
  if (sign !== '') return several(ANY, set === null ? NONE : `[^${set}]`);
  return set === null ? several(ANY, NONE) : several(`[${set}]`, `[${set}]`);
}

/** The ASCII characters of the common classes. A bracket with another class may match any character. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['alpha', 'a-zA-Z'],
  ['digit', '0-9'],
  ['alnum', 'a-zA-Z0-9'],
  ['upper', 'A-Z'],
  ['lower', 'a-z'],
  ['xdigit', '0-9a-fA-F'],
]);

/**
 * Returns the set in the syntax of regular expressions. Returns null in three cases: the bracket has a class that `CHARACTERS` lacks, a
 * range runs backwards, or the ends of a range are neither two letters of the same case nor two digits.
 */
function setOf(inside: string): string | null {
  let set = '';
  for (const [item, name, from = '', to = ''] of inside.matchAll(ITEMS)) {
    const characters = name === undefined ? undefined : CHARACTERS.get(name);
    const isRange =
      from !== '' && from <= to && [/[a-z]/, /[A-Z]/, /\d/].some((kind) => kind.test(from) && kind.test(to));
    if (characters === undefined && !isRange && item.length > 1) return null;
    set += characters ?? (isRange ? item : literal(item).replace('-', '\\-'));
  }
  return set;
}
const ITEMS = /\[:([a-z]+):\]|([\s\S])-([\s\S])|[\s\S]/g;

/** Returns the sequences of tokens between any two possible slashes. The two ends of the pattern count as slashes. */
function piecesOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const cuts = tokens.flatMap(({ isSeparating }, at) => (isSeparating ? [at, at + 1] : []));
  const places = [...new Set([0, ...cuts, tokens.length])];
  return places.flatMap((from, index) =>
    places.slice(index + 1, index + 2 + 2 * MAX_SLASHES).map((to) => tokens.slice(from, to)),
  );
}

function fitsSecretsOnly(piece: readonly Token[], isSecret: (name: string) => boolean): boolean {
  const texts = piece.map(({ text }) => text);
  if (texts.every((text) => text !== null)) return isSecret(texts.join(''));
  if (isSecret(piece.map(({ text, isStar }) => text ?? (isStar ? '*' : '?')).join(''))) return true;
  return SECRETS.some((name) => fits(piece, 'wide', name)) && !ORDINARY.some((name) => fits(piece, 'narrow', name));
}

/**
 * Whether the tokens match the whole name. Follows all positions at once. A regular expression would try the positions one after the other,
 * and would take exponential time for many stars.
 */
function fits(piece: readonly Token[], reading: 'wide' | 'narrow', name: string): boolean {
  let places = behindStars(piece, new Set([0]));
  for (const character of name) {
    const next = new Set<number>();
    for (const at of places) {
      const token = piece[at];
      if (token?.isStar === true) next.add(at);
      else if (token?.[reading].test(character) === true) next.add(at + 1);
    }
    places = behindStars(piece, next);
    if (places.size === 0) return false;
  }
  return places.has(piece.length);
}

/** Adds the places behind stars: a star also matches an empty text. The loop also visits the places that it adds to the set. */
function behindStars(piece: readonly Token[], places: Set<number>): Set<number> {
  for (const at of places) if (piece[at]?.isStar === true) places.add(at + 1);
  return places;
}

const literal = (text: string): string => text.replace(/[.+^${}()|[\]\\*?/]/g, '\\$&');
