/** How a text is compared with what a person searches for: without regard to case, and each ASCII letter is only itself. */

/** Two letters that `toLowerCase` would turn into ASCII letters: İ and the Kelvin sign. They are look-alikes, so `k` must not find them. */
const LOOKS_ASCII = /[\u0130\u212a]/;
const OTHERS = /[^\u0130\u212a]+/g;

/** Returns the text in lower case; the two Greek letters sigma are one. */
export function foldCase(text: string): string {
  const lower = LOOKS_ASCII.test(text) ? text.replace(OTHERS, (part) => part.toLowerCase()) : text.toLowerCase();
  return lower.replaceAll('ς', 'σ');
}

/** A database needs few parts to leave most rows out. */
const MAX_PARTS = 4;

/**
 * Returns parts of the text that are in every JSON text and every plain text that contains the searched text. They need no
 * knowledge of case but that of ASCII letters. The longest are first, because they leave out most.
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
