/**
 * Finds out whether a pattern chooses files with secrets: `*.pe?`, `.en[v]`, `.[/]env`, `.[s]sh/**`. In find's -path and in git's
 * pathspecs, wildcards also match a slash (fnmatch(3) without FNM_PATHNAME). So each piece between two possible slashes is checked.
 */
import { SECRET_EXAMPLES } from '../sensitive/sensitive-places.ts';

export const isPattern = (text: string): boolean => /[*?[\\]/.test(text);

/** A pattern with wildcards counts as one for secrets if it matches one of these, and none of `ORDINARY`. */
const SECRETS = [
  ...SECRET_EXAMPLES,
  ...['.ssh/config', '.ssh/id_rsa', '.aws/credentials', '.aws/config', '.kube/config', '.config/gh/hosts.yml'],
  '.cargo/credentials.toml',
];
const ORDINARY = [
  ...['a', 'main.ts', 'README.md', 'package.json', 'x.sh', '.x', '.gitignore', 'k.h', 'index.html', 'keys.py', 'x.yml'],
  ...['src/main.ts', 'src/package.json', 'a/b/README.md', '.x/y', '.config/x/y', '.cargo/config.toml', 'src/.x'],
  ...['.local/share/x/y', '.local/state/x/y', 'Library/x/y', 'src/keys.py'],
];

/** The most characters and wildcards in a pattern. A longer pattern counts as one for secrets, because a person could not read it. */
const MAX_TOKENS = 1000;
/** The most slashes in a piece. Paths of secrets are short: if a longer piece matches secrets, a part of the piece does so too. */
const MAX_SLASHES = 16;

/**
 * Whether the pattern chooses files with secrets, and not just all files; true also if the pattern is too long to check. Upper and lower
 * case are the same.
 * @param isSecret whether a name or path without wildcards is that of a file with secrets
 */
export function meansSecrets(pattern: string, isSecret: (name: string) => boolean): boolean {
  const pieces = piecesOf(tokensOf(pattern));
  return pieces === null || pieces.some((piece) => fitsSecretsOnly(piece, isSecret));
}

/**
 * A character or a wildcard of the pattern.
 * @property source        the token as part of a regular expression
 * @property text          the one text that the token matches; null: it matches several texts
 * @property isSeparating  whether the token is a slash or may match a slash
 */
interface Token {
  readonly source: string;
  readonly text: string | null;
  readonly isSeparating: boolean;
}

const TOKENS = /\\([\s\S])|\[(?:[!^])?\]?(?:\[:\w+:\]|[^\]])*\]|\*+|\?|[\s\S]/g;

const tokensOf = (pattern: string): readonly Token[] =>
  [...pattern.matchAll(TOKENS)].map(([token, escaped]) => tokenOf(token, escaped));

function tokenOf(token: string, escaped: string | undefined): Token {
  if (escaped !== undefined) return one(escaped);
  if (token.startsWith('*')) return { source: '[\\s\\S]*', text: null, isSeparating: true };
  if (token === '?') return { source: '[\\s\\S]', text: null, isSeparating: true };
  if (token.length === 1) return one(token);
  const single = /^\[([^!^\]\\])\]$/.exec(token)?.[1];
  return single === undefined ? bracketToken(token) : one(single);
}

const one = (text: string): Token => ({ source: literal(text), text, isSeparating: text === '/' });

function bracketToken(token: string): Token {
  // `[[:alpha:]]` counts as any character.
  const source = /\[:/.test(token) ? '[\\s\\S]' : token.replace(/^\[[!^]/, '[^').replace(/\\/g, '\\\\');
  try {
    return { source, text: null, isSeparating: new RegExp(`^${source}$`).test('/') };
  } catch {
    return { source: '[\\s\\S]', text: null, isSeparating: true };
  }
}

/**
 * Returns every sequence of tokens between two places where a slash may be. The ends of the pattern are such places too. Returns null if
 * the pattern has too many tokens.
 */
function piecesOf(tokens: readonly Token[]): readonly (readonly Token[])[] | null {
  if (tokens.length > MAX_TOKENS) return null;
  const cuts = tokens.flatMap(({ isSeparating }, at) => (isSeparating ? [at, at + 1] : []));
  const places = [...new Set([0, ...cuts, tokens.length])];
  return places.flatMap((from, index) =>
    places.slice(index + 1, index + 2 + 2 * MAX_SLASHES).map((to) => tokens.slice(from, to)),
  );
}

function fitsSecretsOnly(piece: readonly Token[], isSecret: (name: string) => boolean): boolean {
  const texts = piece.map(({ text }) => text);
  if (texts.every((text) => text !== null)) return isSecret(texts.join(''));
  if (isSecret(piece.map(({ text, source }) => text ?? (source.endsWith('*') ? '*' : '?')).join(''))) return true;
  const expression = new RegExp(`^${piece.map(({ source }) => source).join('')}$`, 'i');
  return !ORDINARY.some((name) => expression.test(name)) && SECRETS.some((name) => expression.test(name));
}

const literal = (text: string): string => text.replace(/[.+^${}()|[\]\\*?/]/g, '\\$&');
