/** Colours of words on a terminal. A colour adds no information to its word. */
import { randomBytes } from 'node:crypto';
import { visibleText } from '../core/text/visible-text.ts';

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof CODES;
/** Returns the text with marks for the colour. `Colours.finish` turns the marks into escape sequences. Null: no colour. */
export type Paint = (colour: Colour | null, text: string) => string;

export const plainPaint: Paint = (_, text) => text;

/**
 * @property paint colours a word for standard output
 * @property paintDark colours a QR code in white on black, even if colours are off
 * @property finish makes the text that is written: our colours stay, and all other text goes through `visibleText`
 */
export interface Colours {
  readonly paint: Paint;
  readonly paintDark: (text: string) => string;
  readonly finish: (text: string) => string;
}

/** @param read reads a variable of the caller; see https://no-color.org and https://bixense.com/clicolors */
export function coloursFor(isTerminal: boolean, read: (name: string) => string | undefined): Colours {
  // Only `finish` makes escape sequences. The marks contain a random name, so the text of another party cannot contain such a mark.
  const name = randomBytes(12).toString('hex');
  const wrap = (codes: string, text: string) => `{${name}:${codes}}${text}{${name}:0}`;
  const written = new RegExp(`\\{${name}:([\\d;]+)\\}`);
  const isOff = !isTerminal || !!read('NO_COLOR') || read('CLICOLOR') === '0' || read('TERM') === 'dumb';
  return {
    paint: isOff
      ? plainPaint
      : (colour, text) => (colour === null || text === '' ? text : wrap(String(CODES[colour]), text)),
    paintDark: (text) => wrap('97;40', text),
    finish: (text) =>
      text
        .split(written)
        .map((part, at) => (at % 2 === 0 ? visibleText(part) : `\u001b[${part}m`))
        .join(''),
  };
}

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  pending: 'yellow',
  approved: 'green',
  denied: 'red',
  revoked: 'red',
  used: 'dim',
  expired: 'dim',
  withdrawn: 'dim',
};

/**
 * Returns the colour for a grant's state; null: no colour. Pad a word before colouring it: the marks of the colour count as characters, but
 * have no width.
 */
export const stateColour = (state: string): Colour | null => STATE_COLOURS[state] ?? null;
