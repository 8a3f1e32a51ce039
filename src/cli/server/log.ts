/** The server's log on standard error: pino's JSON lines for programs and files, short lines on a terminal. */
import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs';
import type { Logger } from 'pino';

/** A longer log is copied to `FILE.1`, and begun anew. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * @property level      pino's: fatal, error, warn, info, debug, trace, silent
 * @property descriptor where it goes
 * @property file       kept below `MAX_LOG_BYTES` if it is what the descriptor is open for
 */
interface LogPlace {
  readonly level: string;
  readonly isTerminal: boolean;
  readonly descriptor: number;
  readonly file: string;
}

export async function openServerLog({ level, isTerminal, descriptor, file }: LogPlace): Promise<Logger> {
  const { default: pino } = await import('pino');
  const destination = pino.destination({ fd: descriptor, sync: true });
  // A full disk must not end the server; what counts is in the audit events, which do refuse.
  destination.on('error', () => undefined);
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  if (!isTerminal) return pino(options, { write: keptShort(destination, descriptor, file) });
  return pino(options, { write: (line: string) => void destination.write(shortLine(line)) });
}

/** The descriptor stays: what Node itself says when it ends has to come out in the same file. */
function keptShort(
  destination: { write(line: string): unknown },
  descriptor: number,
  file: string,
): (line: string) => void {
  const write = (line: string): void => void destination.write(line);
  const { ino, dev, size } = fstatSync(descriptor);
  const named = statSync(file, { throwIfNoEntry: false });
  if (named?.ino !== ino || named.dev !== dev) return write;
  let bytes = size;
  return (line) => {
    write(line);
    bytes += Buffer.byteLength(line);
    if (bytes < MAX_LOG_BYTES) return;
    bytes = 0;
    try {
      copyFileSync(file, `${file}.1`);
      ftruncateSync(descriptor); // it is open for appending: the next line is the first
    } catch {
      // No space for two of them: it is tried again after as many bytes.
    }
  };
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
