/** Opens the server's log. A terminal gets short lines. Any other descriptor gets pino's JSON lines. */

import { copyFileSync, fstatSync, ftruncateSync, statSync } from 'node:fs';
import type { Logger } from 'pino';
import { visibleText } from '../../core/text/visible-text.ts';

/** A log file that has reached this size is copied to `FILE.1` and truncated. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * @property level      a level of pino: fatal, error, warn, info, debug, trace, silent
 * @property isTerminal whether the descriptor is a terminal
 * @property descriptor the file descriptor that gets the log
 * @property file       the path of the log file; its size is limited only if the descriptor is open for this file
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
  // A full disk must not end the server. This log has no audit events. If audit events cannot be written, the server refuses calls.
  destination.on('error', () => undefined);
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  if (!isTerminal) return pino(options, { write: limitedWrite(destination, descriptor, file) });
  return pino(options, { write: (line: string) => void destination.write(shortLine(line)) });
}

/**
 * Returns a function that writes a line and limits the size of the log file. The function truncates the file and keeps the descriptor: Node
 * writes the message of a crash to this descriptor.
 */
function limitedWrite(
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
      ftruncateSync(descriptor); // the descriptor is open for appending, so the next line is at the beginning
    } catch {
      // For example, the disk is full. The next attempt is after another MAX_LOG_BYTES bytes.
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
  return visibleText(`${String(time).slice(11, 19)} ${LEVELS[Number(level)] ?? level} ${[msg, ...rest].join(' ')}\n`);
}
