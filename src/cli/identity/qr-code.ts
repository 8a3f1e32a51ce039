/** Draws a QR code in the terminal, for a phone to scan. */
import { renderUnicodeCompact } from 'uqr';
import type { CliContext } from '../context.ts';

/** Lines for the prompt and the text around the QR code. Without room for these lines, the top of the QR code would scroll away. */
const LINES_AROUND = 4;

/** Returns an empty text if standard output is no terminal, or if the terminal is too small. */
export function qrCode(context: CliContext, text: string): string {
  if (!context.isTerminal(1)) return '';
  const { columns = 80, rows = 24 } = process.stdout;
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n');
  const isFitting = lines.every((line) => line.length <= columns) && lines.length + LINES_AROUND <= rows;
  // White on black is set explicitly, so that a phone can read the QR code on a light terminal too.
  return isFitting ? `\n${lines.map(context.paintDark).join('\n')}\n` : '';
}
