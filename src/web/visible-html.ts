/** Shows untrusted text as HTML: no character acts as markup, and no character is invisible. */
import { lookAlikesIn } from '../core/text/look-alikes.ts';
import { hasMoreMarksThan, labelledText, type TextSegment, visibleSegments } from '../core/text/visible-text.ts';
import { escapeHtml, Html, html } from './html.ts';

const TITLE: Readonly<Record<string, string>> = {
  control: 'control character',
  bidi: 'changes the reading direction',
  invisible: 'invisible character',
};

/**
 * The highest number of marks in one text. Special characters (tabs, control, bidi and invisible characters) and look-alikes are counted
 * separately. A hostile text of megabytes could need millions of marks. The browser and the server cannot handle that number.
 * - Too many look-alikes: the look-alikes after the limit have no marks.
 * - Too many special characters: each of them is shown as `\u{…}`. Look-alikes in that text have no marks, and a diff has no colours.
 *   `lineHtml` does not check the limit for special characters.
 *
 * `UNMARKED` shows from where on look-alikes have no marks.
 */
const MAX_MARKS = 3_000;

const UNMARKED = '<span class="more"> … from here on, letters that look like others are not marked</span>';

/**
 * Counts the marks of look-alikes in one text.
 * @property left how many more marks are allowed; -1: the text already contains `UNMARKED`
 */
interface Budget {
  left: number;
}
const newBudget = (): Budget => ({ left: MAX_MARKS });

/**
 * Shows every character of the text: line breaks stay as they are, tabs are drawn, other invisible characters become marks. The element
 * around the text has to keep line breaks (`white-space: pre-wrap`).
 */
export function visibleHtml(text: string): Html {
  if (hasMoreMarksThan(text, MAX_MARKS))
    return new Html(
      `${lookAlikesIn(text, 1).length > 0 ? UNMARKED : ''}<span class="labelled">${escapeHtml(labelledText(text))}</span>`,
    );
  return new Html(segmentsHtml(text, newBudget()));
}

const SIDE: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '@': 'place', '…': 'more' };

/** Shows the text of a diff: each line is coloured by its first character. */
export function diffHtml(text: string): Html {
  if (hasMoreMarksThan(text, MAX_MARKS)) return visibleHtml(text);
  const lines = text.replace(/\n$/, '').split('\n');
  const budget = newBudget();
  return new Html(
    lines
      .map((line) => {
        const side = SIDE[line[0] ?? ''];
        const shown = segmentsHtml(line, budget);
        return side === undefined ? shown : `<span class="${side}">${shown}</span>`;
      })
      .join('\n'),
  );
}

/** The names of control characters by their code. Many fonts have no glyphs for control characters. */
const CONTROL_NAMES =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

const controlName = (character: string): string => {
  const code = character.charCodeAt(0);
  return code === 0x7f ? 'DEL' : (CONTROL_NAMES[code] ?? `\\u{${code.toString(16)}}`);
};

const segmentsHtml = (text: string, budget: Budget): string =>
  visibleSegments(text)
    .map((segment) => segmentHtml(segment, budget))
    .join('');

function segmentHtml({ kind, text, label }: TextSegment, budget: Budget): string {
  if (kind === 'newline') return escapeHtml(text);
  if (kind === 'plain') return plainHtml(text, budget);
  if (kind === 'tab') return `<span class="tab">${text}</span>`;
  const shown = kind === 'control' ? Array.from(text, controlName).join(' ') : label;
  return `<mark class="${kind}" title="${TITLE[kind]}">${shown}</mark>`;
}

/** Escapes the text, and marks its look-alikes (`lookAlikesIn`). Where the budget is used up, inserts `UNMARKED` once. */
function plainHtml(text: string, budget: Budget): string {
  if (budget.left < 0) return escapeHtml(text);
  let shown = '';
  let end = 0;
  for (const { at, character, like } of lookAlikesIn(text, budget.left + 1)) {
    budget.left -= 1;
    if (budget.left < 0) {
      shown += escapeHtml(text.slice(end, at)) + UNMARKED;
      end = at;
      break;
    }
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const title = like === '' ? `U+${code}, of another script` : `U+${code}, not ${like}`;
    shown += `${escapeHtml(text.slice(end, at))}<mark class="lookalike" title="${escapeHtml(title)}">${escapeHtml(character)}</mark>`;
    end = at + character.length;
  }
  return shown + escapeHtml(text.slice(end));
}

/** Shows a segment on one line, with signs for line breaks and tabs. */
function onOneLine(segment: TextSegment, budget: Budget): string {
  if (segment.kind === 'newline') return `<span class="break">${'↵ '.repeat(segment.text.length)}</span>`;
  return segment.kind === 'tab'
    ? `<span class="break">${'⇥ '.repeat(segment.text.length)}</span>`
    : segmentHtml(segment, budget);
}

function segmentsOnOneLine(text: string): string {
  const budget = newBudget();
  return visibleSegments(text)
    .map((segment) => onOneLine(segment, budget))
    .join('');
}

/** Shows the whole text on one line, for names: a line break in a name must not look like the end of the name. */
export const lineHtml = (text: string): Html => new Html(segmentsOnOneLine(text));

/**
 * Shows the beginning of a text on one line, for lists. If the text is cut, `… and more` follows.
 * @param most the highest number of characters that are shown
 */
export function shortHtml(text: string, most = 160): Html {
  const characters = Array.from(text.slice(0, most * 2));
  const isCut = characters.length > most || text.length > most * 2;
  const shown = segmentsOnOneLine(characters.slice(0, most).join(''));
  return html`${new Html(shown)}${isCut && html`<span class="more"> … and more</span>`}`;
}
