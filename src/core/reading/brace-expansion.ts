/** Expands the braces of a word, such as `{a,b}` and `{1..3}`. bash(1), "Brace Expansion". */
import type { WrittenCharacter } from './written-characters.ts';

type Characters = readonly WrittenCharacter[];

/** The most words that one word may become; `expandBraces` returns null for more. */
const MAX_WORDS = 64;

/**
 * Returns the words in bash's order. Returns null in two cases: a form of braces is not understood, or there would be too many words.
 * Braces that contain neither a comma nor `..` stay as they are. But `{a}b,c}` is not understood: bash pairs its first brace with its
 * last brace.
 */
export function expandBraces(characters: Characters): readonly Characters[] | null {
  const open = characters.findIndex((each) => is(each, '{'));
  if (open === -1) return [characters];
  const close = closingBrace(characters, open);
  if (close === null) return null;
  const alternatives = alternativesOf(characters.slice(open + 1, close));
  if (alternatives === null) return null;
  const rest = characters.slice(close + 1);
  if (alternatives.length === 1 && mayClose(rest)) return null;
  const behind = expandBraces(rest);
  if (behind === null || alternatives.length * behind.length > MAX_WORDS) return null;
  const before = characters.slice(0, open);
  return alternatives.flatMap((middle) => behind.map((after) => [...before, ...middle, ...after]));
}

const is = (each: WrittenCharacter | undefined, text: string): boolean => each?.isActive === true && each.text === text;

/** Whether the text has `,` or `..` before its last `}`. If so, bash may pair an earlier `{` with this last `}`. */
function mayClose(rest: Characters): boolean {
  const text = rest.map((each) => (each.isActive ? each.text : 'x')).join('');
  const inside = text.slice(0, Math.max(0, text.lastIndexOf('}')));
  return inside.includes(',') || inside.includes('..');
}

function closingBrace(characters: Characters, open: number): number | null {
  let depth = 0;
  for (let at = open; at < characters.length; at++) {
    if (is(characters[at], '{')) depth += 1;
    if (is(characters[at], '}') && --depth === 0) return at;
  }
  return null;
}

/**
 * Returns the alternatives of one pair of braces. Returns null in the same cases as `expandBraces`.
 * @param inside the text between the braces
 */
function alternativesOf(inside: Characters): readonly Characters[] | null {
  const parts = partsOf(inside);
  if (parts.length > 1) {
    const found: Characters[] = [];
    for (const part of parts) {
      const words = expandBraces(part);
      if (words === null || found.length + words.length > MAX_WORDS) return null;
      found.push(...words);
    }
    return found;
  }
  if (inside.some((each) => is(each, '{'))) return null;
  const text = inside.map((each) => each.text).join('');
  if (!text.includes('..')) return [[plain('{'), ...inside, plain('}')]];
  return inside.every(({ isActive }) => isActive) ? sequence(text) : null;
}

const active = (text: string): WrittenCharacter => ({ text, isActive: true });
/** Makes a character that is not expanded again: a brace that bash leaves as it is. */
const plain = (text: string): WrittenCharacter => ({ text, isActive: false });

/** Splits the text between braces at the commas that are not inside inner braces. */
function partsOf(inside: Characters): readonly Characters[] {
  const parts: WrittenCharacter[][] = [[]];
  let depth = 0;
  for (const each of inside) {
    if (is(each, '{')) depth += 1;
    if (is(each, '}')) depth -= 1;
    if (depth === 0 && is(each, ',')) parts.push([]);
    else parts.at(-1)?.push(each);
  }
  return parts;
}

/** Expands `1..3` or `a..c`. Returns null for leading zeros, letters of two cases, other forms, and too many words. */
function sequence(text: string): readonly Characters[] | null {
  const [, from, to] = /^(-?(?:0|[1-9]\d{0,5}))\.\.(-?(?:0|[1-9]\d{0,5}))$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined && !/-0/.test(text))
    return range(Number(from), Number(to))?.map((each) => [...String(each)].map(active)) ?? null;
  const [, first, last] =
    /^(?:([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/.exec(text)?.filter((each) => each !== undefined) ?? [];
  if (first === undefined || last === undefined) return null;
  return range(first.charCodeAt(0), last.charCodeAt(0))?.map((code) => [active(String.fromCharCode(code))]) ?? null;
}

function range(from: number, to: number): readonly number[] | null {
  const length = Math.abs(to - from) + 1;
  if (length > MAX_WORDS) return null;
  return Array.from({ length }, (_, at) => (from <= to ? from + at : from - at));
}
