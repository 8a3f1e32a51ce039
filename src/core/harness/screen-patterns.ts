/** Reads a screen by the patterns of a harness. A screen that fits no pattern is `unknown`. */
import type { Composer, ScreenReading } from '../message/screen-reading.ts';
import type { ScreenView } from '../message/session-view.ts';

/** @property name shown in the answer to a refused send */
interface NamedPattern {
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * Where the line editor is on the screen. The screen shows these rows, from the bottom up: a footer of at most `footerRows` rows, the row
 * that closes the editor, `frameRows` rows of the frame, the rows of the editor, and the row above the editor.
 * @property above    the row above the editor; null: any row
 * @property first    the first row of the editor; the match is the prompt, the rest of the row is draft
 * @property next     a further row of the editor; the match is the indentation
 * @property below    the row that closes the editor. If the match begins in the first column, the editor has the width of the screen; else
 *                    the editor has the columns of the match
 * @property frameRows how many rows between the draft and the closing row belong to the frame
 * @property placeholder the text in an empty editor, if this text is not drawn faint; null: there is no such text
 * @property suggestsUnderCursor whether an empty editor may suggest a text. The harness draws its own cursor on the first character of
 *                       the suggestion, and draws the other characters faint. A draft is never drawn faint
 * @property folded   the text that the editor shows in place of a long paste; the group `lines` or `characters` is the size of the paste
 * @property extraLines what to add to the number in `folded`: 1 for a harness that shows the number of line breaks
 * @property isCursorShown whether the harness shows the cursor in its editor, and hides the cursor while a dialog is open
 */
interface ComposerPattern {
  readonly above: RegExp | null;
  readonly first: RegExp;
  readonly next: RegExp;
  readonly below: RegExp;
  readonly frameRows: number;
  readonly footerRows: number;
  readonly placeholder: RegExp | null;
  readonly suggestsUnderCursor?: true;
  readonly folded: RegExp;
  readonly extraLines: 0 | 1;
  readonly isCursorShown: boolean;
}

/**
 * @property dialogTitles  window titles (OSC 0/2) of a program that waits for a human
 * @property dialogHints   rows of a dialog among the last `HINT_ROWS` rows that are not blank
 * @property dialogParts   rows of a dialog anywhere on the screen; they count only if no editor is found
 * @property busy          rows that the screen shows while a turn runs
 * @property busyTitles    window titles while a turn runs
 */
export interface ScreenPatterns {
  readonly dialogTitles: readonly NamedPattern[];
  readonly dialogHints: readonly NamedPattern[];
  readonly dialogParts: readonly NamedPattern[];
  readonly busy: readonly RegExp[];
  readonly busyTitles: readonly RegExp[];
  readonly composer: ComposerPattern;
}

const HINT_ROWS = 4;
/** This number of rows above the editor is searched for signs of a running turn. All rows below the editor are searched, too. */
const BUSY_ROWS = 8;
/** The most rows of an editor. A draft on a screen never has more rows, so anything taller is not an editor. */
const MAX_DRAFT_ROWS = 60;

export function readScreenBy(patterns: ScreenPatterns, view: ScreenView): ScreenReading {
  const dialog = dialogAt(patterns, view);
  if (dialog !== null) return { kind: 'dialog', rule: dialog };
  const composer = findComposer(patterns.composer, view);
  const isBusy = isAtWork(patterns, view, composer);
  if (composer !== null) return { kind: 'composer', ...draftOf(patterns.composer, view, composer), isBusy };
  const part = patterns.dialogParts.find(({ pattern }) => view.lines.some((line) => pattern.test(line)));
  if (part !== undefined) return { kind: 'dialog', rule: part.name };
  return { kind: isBusy ? 'busy' : 'unknown' };
}

function dialogAt({ dialogTitles, dialogHints }: ScreenPatterns, view: ScreenView): string | null {
  const titled = dialogTitles.find(({ pattern }) => pattern.test(view.title));
  if (titled !== undefined) return titled.name;
  const bottom = view.lines.filter((line) => line.trim() !== '').slice(-HINT_ROWS);
  return dialogHints.find(({ pattern }) => bottom.some((line) => pattern.test(line)))?.name ?? null;
}

interface Place {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly closingRow: number;
  readonly left: number;
  readonly right: number;
}

/** Searches for the row that closes the editor, from the last filled row upwards. Returns null if the screen shows no editor. */
function findComposer(pattern: ComposerPattern, view: ScreenView): Place | null {
  const lines = view.lines;
  let bottom = lines.length - 1;
  while (bottom >= 0 && lines[bottom]?.trim() === '') bottom -= 1;
  for (let row = bottom; row >= 0 && row >= bottom - pattern.footerRows; row -= 1) {
    const closing = pattern.below.exec(lines[row] ?? '');
    if (closing === null) continue;
    const left = closing.index;
    const right = left === 0 ? Number.POSITIVE_INFINITY : left + closing[0].length;
    const place = findEditorAbove(pattern, view, row, left, right);
    if (place !== null) return place;
  }
  return null;
}

function findEditorAbove(pattern: ComposerPattern, view: ScreenView, closingRow: number, left: number, right: number) {
  const lastRow = closingRow - 1 - pattern.frameRows;
  const clip = (row: number): string => (view.lines[row] ?? '').slice(left, right);
  let found: number | null = null;
  for (let row = lastRow; row >= 0 && lastRow - row < MAX_DRAFT_ROWS; row -= 1) {
    const text = clip(row);
    if (pattern.first.test(text) && (pattern.above === null || pattern.above.test(clip(row - 1)))) {
      found = row;
      break;
    }
    if (text !== '' && !pattern.next.test(text)) return null;
  }
  if (found === null || !isCursorInside(pattern, view, found, lastRow)) return null;
  return { firstRow: found, lastRow, closingRow, left, right } satisfies Place;
}

function isCursorInside(pattern: ComposerPattern, { cursor }: ScreenView, firstRow: number, lastRow: number): boolean {
  return cursor.row >= firstRow && cursor.row <= lastRow && (cursor.isVisible || !pattern.isCursorShown);
}

function draftOf(pattern: ComposerPattern, view: ScreenView, place: Place): Omit<Composer, 'kind' | 'isBusy'> {
  const rows: string[] = [];
  let isAllFaint = true;
  let isFaintBehindCursor = true;
  let begin: number | null = null;
  for (let row = place.firstRow; row <= place.lastRow; row += 1) {
    const whole = (view.lines[row] ?? '').slice(place.left, place.right);
    const prefix = (row === place.firstRow ? pattern.first : pattern.next).exec(whole)?.[0] ?? '';
    const text = whole.slice(prefix.length).trimEnd();
    begin ??= place.left + prefix.length;
    rows.push(text);
    const from = place.left + prefix.length;
    const faint = view.faintColumns[row] ?? [];
    if (!isFaint(text, from, faint)) isAllFaint = false;
    const isUnderCursor = view.cursor.row === row && view.cursor.column === from;
    if (!isFaint(text, from, isUnderCursor ? [from, ...faint] : faint)) isFaintBehindCursor = false;
  }
  const draft = rows.join('\n').replace(/^\n+|\s+$/g, '');
  const folded = pattern.folded.exec(draft);
  if (folded !== null) return { draft, folded: countOf(pattern, folded) };
  const isCursorAtStart = view.cursor.row === place.firstRow && view.cursor.column <= (begin ?? 0) + 1;
  // A single character under the cursor counts as typed by a person, although the harness may have suggested it.
  const isSuggestion =
    pattern.suggestsUnderCursor === true && isFaintBehindCursor && draft.replace(/\s/g, '').length > 1;
  const isPlaceholder = isAllFaint || (isCursorAtStart && (isSuggestion || pattern.placeholder?.test(draft) === true));
  return { draft: isPlaceholder ? '' : draft, folded: null };
}

/**
 * Whether all characters of `text` except blanks are drawn faint. The text begins at column `from`. Each character counts as one column, so
 * a suggestion with wide characters may look like a draft. Then a send is refused, which does no harm.
 */
function isFaint(text: string, from: number, columns: readonly number[]): boolean {
  if (text.trim() === '') return true;
  const faint = new Set(columns);
  return [...text].every((character, at) => character.trim() === '' || faint.has(from + at));
}

function countOf(pattern: ComposerPattern, folded: RegExpExecArray): NonNullable<Composer['folded']> {
  const { lines, characters } = folded.groups ?? {};
  // A harness that counts line breaks shows no number for a paste of one line.
  if (lines === undefined && characters === undefined && pattern.extraLines === 1) return { unit: 'lines', count: 1 };
  return lines === undefined
    ? { unit: 'characters', count: Number(characters ?? 0) }
    : { unit: 'lines', count: Number(lines) + pattern.extraLines };
}

function isAtWork(patterns: ScreenPatterns, view: ScreenView, composer: Place | null): boolean {
  if (patterns.busyTitles.some((title) => title.test(view.title))) return true;
  const near =
    composer === null
      ? view.lines
      : view.lines
          .slice(Math.max(0, composer.firstRow - BUSY_ROWS), composer.firstRow)
          .concat(view.lines.slice(composer.closingRow));
  return near.some((line) => patterns.busy.some((pattern) => pattern.test(line)));
}
