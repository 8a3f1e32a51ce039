/**
 * Finds letters that look like a-z: `rеact` with a Cyrillic е is another package than `react`. In a word with a-z, every letter of another
 * script is suspect (`раураl`). In a word without a-z, the letters of another script are suspect only if all of them look like a-z
 * (`сосо`). Other characters are suspect in every text: other Latin letters that look like a-z, full-width letters and digits, `℮`, and
 * signs that look like a slash, a dot, a hyphen or a colon.
 */

/**
 * Each key is a letter of a-z or A-Z. Its value has the characters that look like the key: letters of other scripts, other Latin letters,
 * and a few symbols.
 */
const TWINS: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'ЬƄ',
  c: 'сϲⅽ',
  d: 'ԁժⅾ',
  e: 'еҽ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іιıⅰ',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏⅼΙІ',
  m: 'мⅿ',
  n: 'ոռη',
  o: 'оοօσ',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гᴦ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υսʋ',
  v: 'νѵⅴ',
  w: 'ԝωա',
  x: 'хχⅹ',
  y: 'уγү',
  z: 'ᴢ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  J: 'Ј',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟ',
  P: 'РΡ',
  S: 'Ѕ',
  T: 'ТΤ',
  X: 'ХΧ',
  Y: 'ΥҮ',
  Z: 'Ζ',
};

const LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries(TWINS).flatMap(([letter, twins]) => Array.from(twins, (twin) => [twin, letter] as const)),
);

/** Punctuation that looks like a sign with a meaning to shells or in addresses, such as a slash; and `℮`, which `WORD` does not match. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ...Array.from('⁄∕╱⧸／', (sign) => [sign, '/'] as const),
  ...Array.from('․．。', (sign) => [sign, '.'] as const),
  ...Array.from('‐‑‒–−－', (sign) => [sign, '-'] as const),
  ...Array.from('։：ː∶', (sign) => [sign, ':'] as const),
  ['℮', 'e'],
]);
const SIGN = new RegExp(`[${[...SIGNS.keys()].join('')}]`, 'gu');

/**
 * @property at   the position in the text, in UTF-16 units
 * @property like the letter or sign that `character` looks like; empty: not known
 */
export interface LookAlike {
  readonly at: number;
  readonly character: string;
  readonly like: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const FULL_WIDTH = /[\uff21-\uff3a\uff41-\uff5a\uff10-\uff19]/u;
const HAS_LATIN = /[A-Za-z]/;
const NOT_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

/** The text with a letter of a-z or A-Z, or a sign of ASCII, in place of each character that looks like one. */
export const latinLettersOf = (text: string): string =>
  /^[\x00-\x7f]*$/.test(text)
    ? text
    : Array.from(text, (character) => LIKE.get(character) ?? SIGNS.get(character) ?? character).join('');

/** Returns at most `most` look-alikes, in the order of the text. */
export function lookAlikesIn(text: string, most = 300): readonly LookAlike[] {
  if (/^[\x00-\x7f]*$/.test(text)) return []; // ASCII only: by far the most frequent case
  const found = [...first(most, wordsWithTwins(text)), ...first(most, signsIn(text))];
  return found.sort((left, right) => left.at - right.at).slice(0, most);
}

/** Stops after `most` members, so that a very long text does not make a very long list. */
function* first(most: number, all: Iterable<LookAlike>): Generator<LookAlike> {
  let count = 0;
  for (const one of all) {
    if (count++ >= most) return;
    yield one;
  }
}

function* wordsWithTwins(text: string): Generator<LookAlike> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const letters = lettersOf(word, index);
    const foreign = letters.filter(({ character }) => NOT_LATIN.test(character));
    const isMixed = HAS_LATIN.test(word) && foreign.length > 0;
    const isAllTwins = foreign.length > 0 && foreign.every(({ character }) => LIKE.has(character));
    for (const { at, character } of letters) {
      const like = LIKE.get(character) ?? (FULL_WIDTH.test(character) ? character.normalize('NFKC') : undefined);
      if (isMixed && NOT_LATIN.test(character)) yield { at, character, like: like ?? '' };
      else if (like !== undefined && (isAllTwins || !NOT_LATIN.test(character))) yield { at, character, like };
    }
  }
}

function lettersOf(word: string, start: number): { readonly at: number; readonly character: string }[] {
  let at = start;
  return Array.from(word, (character) => {
    const place = at;
    at += character.length;
    return { at: place, character };
  });
}

function* signsIn(text: string): Generator<LookAlike> {
  for (const { 0: character, index } of text.matchAll(SIGN))
    yield { at: index, character, like: SIGNS.get(character) ?? '' };
}
