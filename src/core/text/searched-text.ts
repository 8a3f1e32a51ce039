/** Prepares texts for a search that ignores case. */

/** İ and the Kelvin sign. `toLowerCase` would turn them into ASCII `i` and `k`, but a search for `i` or `k` must not find these letters. */
const LOOKS_ASCII = /[\u0130\u212a]/;
const OTHERS = /[^\u0130\u212a]+/g;

/** Returns the text in lower case, with `σ` for both forms of the small Greek letter sigma. The letters of `LOOKS_ASCII` do not change. */
export function foldCase(text: string): string {
  const lower = LOOKS_ASCII.test(text) ? text.replace(OTHERS, (part) => part.toLowerCase()) : text.toLowerCase();
  return lower.replaceAll('ς', 'σ');
}

/** A few parts are enough for a database to leave most rows out. */
const MAX_PARTS = 4;

/**
 * Returns at most four parts of a searched text, in lower case. If a field contains the text (compared with `foldCase`), the field and the
 * field's JSON also contain each part. A database that ignores only the case of ASCII letters finds the parts. The longest parts are first,
 * because a long part leaves out most rows. An empty list means that the text has no such part.
 */
export function certainParts(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const character of `${foldCase(text)} `) {
    if (isCertain(character)) part += character;
    else if (part !== '') {
      parts.push(part);
      part = '';
    }
  }
  return parts.sort((left, right) => right.length - left.length).slice(0, MAX_PARTS);
}

/** False for a character that JSON escapes, that separates words, or that is not ASCII and has another case. */
function isCertain(character: string): boolean {
  if (/[\s\p{Cc}\p{Cs}"\\]/u.test(character)) return false;
  return /^[a-z]$/.test(character) || (character.toLowerCase() === character && character.toUpperCase() === character);
}
