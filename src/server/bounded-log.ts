/**
 * A log that callers cannot fill. In one minute, the log writes at most `MAX_LOG_LINES_PER_MINUTE` warnings and errors with the same
 * message. When the message comes again after that minute, the log first writes how many lines it left out.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { MAX_LOG_LINES_PER_MINUTE } from './limits.ts';

const WINDOW_MS = 60_000;

interface Window {
  sinceMs: number;
  lines: number;
  leftOut: number;
}

/**
 * Returns a log whose `warn` and `error` take facts and a message. The message must be a fixed text: the log remembers each different
 * message for ever. The other levels have no limit.
 */
export function boundedLog(log: FastifyBaseLogger, clock: Clock): FastifyBaseLogger {
  const windows = new Map<string, Window>();
  const isLeftOut = (message: string): boolean => {
    const nowMs = clock.elapsedMs();
    const window = windows.get(message) ?? { sinceMs: nowMs, lines: 0, leftOut: 0 };
    windows.set(message, window);
    if (nowMs - window.sinceMs >= WINDOW_MS) {
      if (window.leftOut > 0) log.warn({ message, lines: window.leftOut }, 'lines left out');
      Object.assign(window, { sinceMs: nowMs, lines: 0, leftOut: 0 });
    }
    window.lines += 1;
    if (window.lines <= MAX_LOG_LINES_PER_MINUTE) return false;
    window.leftOut += 1;
    return true;
  };
  const bounded = (level: 'warn' | 'error') => (facts: object, message: string) => {
    if (!isLeftOut(message)) log[level](facts, message);
  };
  // The result inherits all other members from `log`. pino makes child loggers in the same way.
  return Object.assign(Object.create(log) as FastifyBaseLogger, { warn: bounded('warn'), error: bounded('error') });
}
