/** The owner's one-time link, as text and as a QR code. */
import { renderUnicodeCompact } from 'uqr';
import type { Failure } from '../../core/failure.ts';
import { type Result, success } from '../../core/result.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CliContext } from '../context.ts';
import type { Administration } from '../server/local-database.ts';
import type { ServerRecord } from '../server/local-server.ts';

/** Makes a link for one sign-in within 15 minutes. */
export async function signInLink(
  record: Pick<ServerRecord, 'publicUrl'>,
  store: Store,
  administration: Administration,
): Promise<Result<string, Failure>> {
  const token = await administration.createOwnerLink(store, { nowMs: systemClock.nowMs() });
  return token.ok ? success(`${record.publicUrl}/sign-in/${token.value}`) : token;
}

export function signInText(context: CliContext, link: string): string {
  return `\nSign in to approve (one use, within 15 minutes):\n  ${link}\n${qrCode(context, link)}\n`;
}

/** Lines for the prompt and the text around the QR code: if it does not fit with them, its top scrolls away. */
const LINES_AROUND = 4;

/** Returns an empty text if standard output is no terminal, or one that is too small. */
export function qrCode(context: CliContext, text: string): string {
  if (!context.isTerminal(1)) return '';
  const { columns = 80, rows = 24 } = process.stdout;
  const lines = renderUnicodeCompact(text, { ecc: 'L', border: 2 }).split('\n');
  const isFitting = lines.every((line) => line.length <= columns) && lines.length + LINES_AROUND <= rows;
  // In black and white explicitly, so that a phone can read it on a light terminal too.
  return isFitting ? `\n${lines.map((line) => `\u001b[97;40m${line}\u001b[0m`).join('\n')}\n` : '';
}
