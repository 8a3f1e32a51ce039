/** Colours of words on a terminal. A colour adds no information to its word. */

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof CODES;
/** Returns the text with escape sequences for the colour; null: the text is not changed. */
export type Paint = (colour: Colour | null, text: string) => string;

export const plainPaint: Paint = (_, text) => text;

/** @param read reads a variable of the caller; see https://no-color.org and https://bixense.com/clicolors */
export function paintFor(isTerminal: boolean, read: (name: string) => string | undefined): Paint {
  const isOff = !isTerminal || !!read('NO_COLOR') || read('CLICOLOR') === '0' || read('TERM') === 'dumb';
  return isOff
    ? plainPaint
    : (colour, text) => (colour === null || text === '' ? text : `\u001b[${CODES[colour]}m${text}\u001b[0m`);
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
 * Returns the colour for a grant's state; null: no colour. Pad a word before colouring it: escape sequences count as characters but have no
 * width.
 */
export const stateColour = (state: string): Colour | null => STATE_COLOURS[state] ?? null;
