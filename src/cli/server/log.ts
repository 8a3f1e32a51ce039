/** The server's log on standard error: pino's JSON lines for programs and files, short lines on a terminal. */
import type { Logger } from 'pino';

/** @param level pino's: fatal, error, warn, info, debug, trace, silent */
export async function openServerLog(level: string, isTerminal: boolean): Promise<Logger> {
  const { pino, stdTimeFunctions } = await import('pino');
  const destination = pino.destination({ fd: 2, sync: true });
  // A full disk must not end the server; what counts is in the audit events, which do refuse.
  destination.on('error', () => undefined);
  const options = { level, timestamp: stdTimeFunctions.isoTime, base: null };
  if (!isTerminal) return pino(options, destination);
  return pino(options, { write: (line: string) => void destination.write(shortLine(line)) });
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

function shortLine(line: string): string {
  const { time, level, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${String(time).slice(11, 19)} ${LEVELS[Number(level)] ?? level} ${[msg, ...rest].join(' ')}\n`;
}
