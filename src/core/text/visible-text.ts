/**
 * Makes text visible. Visible marks replace control characters, invisible characters, and characters that change the direction of text.
 * No character is left out.
 */

/**
 * - `control`:   C0, DEL, C1: a terminal acts on these characters
 * - `bidi`:      changes the direction of the text after it
 * - `invisible`: has no width, or looks like a space but is another character; also lone surrogates
 */
type SegmentKind = 'plain' | 'control' | 'bidi' | 'invisible' | 'newline' | 'tab';

/**
 * A run of characters of one kind. `text` is the original; `label` is the text to show, which equals `text` if the kind is
 * `plain`.
 */
export interface TextSegment {
  readonly kind: SegmentKind;
  readonly text: string;
  readonly label: string;
}

const SPECIAL =
  /(?<newline>\n+)|(?<tab>\t+)|(?<control>(?:(?![\n\t])\p{Cc})+)|(?<bidi>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+)|(?<invisible>(?:(?![\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069 ])[\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800])+)/gu;

/** Most texts are printable ASCII. Such a text has no special character. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Returns the segments of the text in order. Their joined `text` values equal the input. An empty text has no segments. */
export function visibleSegments(text: string): readonly TextSegment[] {
  if (PLAIN.test(text)) return text === '' ? [] : [plain(text)];
  const segments: TextSegment[] = [];
  let end = 0;
  for (const match of text.matchAll(SPECIAL)) {
    if (match.index > end) segments.push(plain(text.slice(end, match.index)));
    segments.push(special(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) segments.push(plain(text.slice(end)));
  return segments;
}

const plain = (text: string): TextSegment => ({ kind: 'plain', text, label: text });

function special(match: RegExpExecArray | RegExpMatchArray): TextSegment {
  const text = match[0] ?? '';
  const groups = match.groups ?? {};
  const kind =
    (['newline', 'tab', 'control', 'bidi'] as const).find((name) => groups[name] !== undefined) ?? 'invisible';
  return { kind, text, label: Array.from(text, labelOf).join('') };
}

/** `␛` for ESC, `␊` for a newline, `\u{202e}` for a character without a symbol of its own. */
function labelOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '␡' : `\\u{${code.toString(16)}}`;
}

/** Whether the text has more than `most` runs that are neither plain nor newlines. Stops after run `most + 1`. */
export function hasMoreMarksThan(text: string, most: number): boolean {
  if (PLAIN.test(text)) return false;
  let count = 0;
  for (const match of text.matchAll(SPECIAL)) {
    if (match.groups?.['newline'] === undefined) count += 1;
    if (count > most) return true;
  }
  return false;
}

/**
 * The text with its newlines, and with `\u{…}` for every other character that is not plain. Symbols such as `␛` are not used, because a
 * symbol can be in another font. With many changes of the font, a browser takes minutes for a megabyte. A text that looks like `\u{…}` is
 * not escaped.
 */
export function labelledText(text: string): string {
  return text.replace(SPECIAL, (run) => (run.startsWith('\n') ? run : Array.from(run, escaped).join('')));
}

/**
 * The text with its newlines and tabs, and with a mark for every other character that is not plain. Use this function for a whole message
 * that is ready to print: the terminal is safe even if the message quotes a text that was not escaped. For a quoted text that must stay on
 * one line, use `visibleLine`. A text that looks like one of our marks is not escaped.
 */
export const visibleText = (text: string): string =>
  PLAIN_LINES.test(text)
    ? text
    : text.replace(SPECIAL, (run) => (LINE_OR_TAB.test(run) ? run : Array.from(run, labelOf).join('')));

/**
 * The JSON text with `\uXXXX` for every character that is not plain. Newlines and tabs between values stay. The value of the JSON stays
 * the same. `json` must have no CR between values: this CR would become an escape, which is valid only in a string.
 */
export const visibleJson = (json: string): string =>
  PLAIN_LINES.test(json)
    ? json
    : json.replace(SPECIAL, (run) => (LINE_OR_TAB.test(run) ? run : run.split('').map(unitEscape).join('')));

const PLAIN_LINES = /^[\n\t\x20-\x7e]*$/;
const LINE_OR_TAB = /^[\n\t]/;
const unitEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The whole text as one line that is safe to print. Two different texts never give the same line: text that looks like one of
 * our marks is escaped too.
 */
export function visibleLine(text: string): string {
  return visibleSegments(text)
    .map(({ kind, label }) => (kind === 'plain' ? label.replace(/[\u2400-\u2421]|\\(?=u\{)/gu, escaped) : label))
    .join('');
}

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
