/** Reads a screen by a harness's patterns. One engine, patterns as data: what is not recognised is `unknown`. */
import type { Composer, ScreenReading } from '../message/screen-reading.ts';
import type { ScreenView } from '../message/session-view.ts';

/** @property name of the rule, named in the answer when a send is refused */
interface NamedPattern {
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * Where the line editor is. From the bottom: at most `footerRows` rows, the row that closes it, its rows, the row above.
 * @property above    the row above the first one; null where there is none to rely on
 * @property first    the first row; what it matches is the prompt, what follows is the draft
 * @property next     a further row; what it matches is the indentation
 * @property below    the row that closes it. Where it does not begin at the left edge, the editor is as wide as it is
 * @property belowIsPart how many rows above the closing one belong to the frame, not to the draft
 * @property placeholder what stands in an empty editor, if it is not drawn faint
 * @property suggestsUnderCursor an empty editor may show what could be typed next: faint but for its first character, which
 *                       stands under a cursor that the harness draws itself; a draft is never faint
 * @property folded   the stand-in for a long paste; group `lines` or `characters` holds the number it says
 * @property extraLines what the number of lines lacks: 1 for a harness that counts the line ends, and says none for one line
 * @property isCursorShown the harness hides the cursor while a dialog is open, and shows it in its editor
 */
interface ComposerPattern {
  readonly above: RegExp | null;
  readonly first: RegExp;
  readonly next: RegExp;
  readonly below: RegExp;
  readonly belowIsPart: number;
  readonly footerRows: number;
  readonly placeholder: RegExp | null;
  readonly suggestsUnderCursor?: true;
  readonly folded: RegExp;
  readonly extraLines: 0 | 1;
  readonly isCursorShown: boolean;
}

/**
 * @property dialogTitles  titles (OSC 0/2) of a program that waits for a human
 * @property dialogHints   rows at the very bottom: one of the last `HINT_ROWS` that are not blank
 * @property dialogParts   rows anywhere, looked for only where no composer is
 * @property busy          rows of a running turn
 * @property busyTitles    titles of a running turn
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
/** A turn that runs says so just above its editor, or below it. */
const BUSY_ROWS = 8;
/** No real draft on a screen is higher; a taller "editor" is something else. */
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

/** The lowest row that can close it, and from there upwards; a row that fits neither `next` nor `first` means there is none. */
function findComposer(pattern: ComposerPattern, view: ScreenView): Place | null {
  const lines = view.lines;
  let bottom = lines.length - 1;
  while (bottom >= 0 && lines[bottom]?.trim() === '') bottom -= 1;
  for (let row = bottom; row >= 0 && row >= bottom - pattern.footerRows; row -= 1) {
    const closing = pattern.below.exec(lines[row] ?? '');
    if (closing === null) continue;
    const left = closing.index;
    const right = left === 0 ? Number.POSITIVE_INFINITY : left + closing[0].length;
    const place = climb(pattern, view, row, left, right);
    if (place !== null) return place;
  }
  return null;
}

function climb(pattern: ComposerPattern, view: ScreenView, closingRow: number, left: number, right: number) {
  const lastRow = closingRow - 1 - pattern.belowIsPart;
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
  // A single character is under the cursor whether a person typed it or the harness suggests it.
  const isSuggestion =
    pattern.suggestsUnderCursor === true && isFaintBehindCursor && draft.replace(/\s/g, '').length > 1;
  const isPlaceholder = isAllFaint || (isCursorAtStart && (isSuggestion || pattern.placeholder?.test(draft) === true));
  return { draft: isPlaceholder ? '' : draft, folded: null };
}

/** Whether everything that is not blank in `text`, which begins at column `from`, is drawn faint. */
function isFaint(text: string, from: number, columns: readonly number[]): boolean {
  if (text.trim() === '') return true;
  const faint = new Set(columns);
  return [...text].every((character, at) => character.trim() === '' || faint.has(from + at));
}

function countOf(pattern: ComposerPattern, folded: RegExpExecArray): NonNullable<Composer['folded']> {
  const { lines, characters } = folded.groups ?? {};
  // A harness that counts line ends says no number where there is none.
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
