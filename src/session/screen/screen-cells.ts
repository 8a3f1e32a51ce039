/**
 * Reads the screen from a buffer of xterm, without the scrollback: the text, the faint columns, and the escape sequences that paint the
 * screen on another terminal.
 */
import type { IBuffer, IBufferCell, IBufferLine } from '@xterm/headless';

/** xterm's values of a cell's colour mode. */
const PALETTE_16 = 0x1000000;
const PALETTE_256 = 0x2000000;

const BRIGHT_BLACK = 8;
/** The greys of the 256-colour palette, without the nearly white ones (251 to 255). */
const GREY_RAMP = { first: 232, last: 250 };
/** An RGB colour counts as grey if its channels are about the same and no channel is bright. */
const GREY_SPREAD = 34;
const GREY_BRIGHTEST = 180;

/** Returns the text of each row. Leaves out the blanks at the end of a row. */
export function screenLinesOf(buffer: IBuffer, rows: number): readonly string[] {
  return rowsOf(buffer, rows).map((line) => line?.translateToString(true).replace(/[ \u00a0]+$/, '') ?? '');
}

/** Returns for each row the columns (from 0) with dim or grey text. Of a wide character, only the first column is returned. */
export function faintColumnsOf(buffer: IBuffer, rows: number): readonly (readonly number[])[] {
  return rowsOf(buffer, rows).map((line) => {
    const faint: number[] = [];
    eachCell(line, (cell, column) => {
      if (cell.getChars().trim() !== '' && isFaint(cell)) faint.push(column);
    });
    return faint;
  });
}

const rowsOf = (buffer: IBuffer, rows: number): readonly (IBufferLine | undefined)[] =>
  Array.from({ length: rows }, (_, row) => buffer.getLine(buffer.baseY + row));

/** Visits a wide character once, with its first column. */
function eachCell(line: IBufferLine | undefined, visit: (cell: IBufferCell, column: number) => void): void {
  let cell: IBufferCell | undefined;
  for (let column = 0; column < (line?.length ?? 0); column++) {
    cell = line?.getCell(column, cell);
    if (cell !== undefined && cell.getWidth() > 0) visit(cell, column);
  }
}

function isFaint(cell: IBufferCell): boolean {
  if (cell.isDim() !== 0) return true;
  const colour = cell.getFgColor();
  if (cell.isFgRGB()) return isGrey([colour >> 16, (colour >> 8) & 255, colour & 255]);
  if (cell.getFgColorMode() === PALETTE_16) return colour === BRIGHT_BLACK;
  if (cell.getFgColorMode() !== PALETTE_256) return false;
  return colour === BRIGHT_BLACK || (colour >= GREY_RAMP.first && colour <= GREY_RAMP.last);
}

const isGrey = (channels: readonly number[]): boolean =>
  Math.max(...channels) <= GREY_BRIGHTEST && Math.max(...channels) - Math.min(...channels) <= GREY_SPREAD;

/** Returns the text that clears a terminal, paints the rows with their colours, and moves the cursor to its position in the buffer. */
export function paintingOf(buffer: IBuffer, rows: number): string {
  const painted = rowsOf(buffer, rows).map((line, row) => `\x1b[${row + 1};1H${rowText(line)}`);
  const cursor = `\x1b[${buffer.cursorY + 1};${buffer.cursorX + 1}H`;
  return `\x1b[0m\x1b[r\x1b[?6l\x1b[?7l\x1b[H\x1b[2J${painted.join('')}\x1b[0m\x1b[?7h${cursor}`;
}

/** Returns the text that paints one row. Leaves out blanks at the end of the row that have no style. */
function rowText(line: IBufferLine | undefined): string {
  let text = '';
  let textLength = 0;
  let style = '';
  eachCell(line, (cell) => {
    const next = styleOf(cell);
    if (next !== style) text += `\x1b[0${next}m`;
    style = next;
    text += cell.getChars() || ' ';
    if (cell.getChars().trim() !== '' || next !== '') textLength = text.length;
  });
  return `${text.slice(0, textLength)}\x1b[0m`;
}

/** The SGR parameters of a cell, each with a `;` in front. */
function styleOf(cell: IBufferCell): string {
  const flags = [
    [cell.isBold(), 1],
    [cell.isDim(), 2],
    [cell.isItalic(), 3],
    [cell.isUnderline(), 4],
    [cell.isBlink(), 5],
    [cell.isInverse(), 7],
    [cell.isInvisible(), 8],
    [cell.isStrikethrough(), 9],
    [cell.isOverline(), 53],
  ] as const;
  const on = flags.map(([isOn, parameter]) => (isOn === 0 ? '' : `;${parameter}`)).join('');
  return `${on}${colourOf(cell.getFgColorMode(), cell.getFgColor(), 30)}${colourOf(cell.getBgColorMode(), cell.getBgColor(), 40)}`;
}

/** @param base 30 for the foreground, 40 for the background */
function colourOf(mode: number, colour: number, base: number): string {
  if (mode === 0) return '';
  if (mode === PALETTE_16) return `;${colour < 8 ? base + colour : base + 52 + colour}`;
  if (mode === PALETTE_256) return `;${base + 8};5;${colour}`;
  return `;${base + 8};2;${colour >> 16};${(colour >> 8) & 255};${colour & 255}`;
}
