/** Hours in which an approver is not notified, by the wall clock of a time zone. */
import { hoursFault, isWithinHours } from '../scope/hours.ts';
import type { QuietHours } from '../wire/notification.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const MINUTE_MS = 60_000;
/** More than the longest day: it has 25 hours when the clock is set back. A notification that was put off is decided on again then. */
const MAX_MS = 26 * 60 * MINUTE_MS;

export const isQuiet = (quiet: QuietHours | null, nowMs: number): boolean =>
  quiet !== null && isWithinHours({ ...quiet, days: EVERY_DAY }, nowMs);

/** What is wrong with the quiet hours, or null. */
export const quietFault = (quiet: QuietHours | null): string | null =>
  quiet === null ? null : hoursFault({ ...quiet, days: EVERY_DAY });

/**
 * The next full minute that is not quiet (Unix ms). If the next 26 hours are quiet, 26 hours after `nowMs`: quiet hours from 0:00 to 24:00
 * never end, and other quiet hours can last longer on a day on which the clock skips the time between them.
 */
export function quietEndMs(quiet: QuietHours, nowMs: number): number {
  const next = Math.floor(nowMs / MINUTE_MS + 1) * MINUTE_MS;
  for (let atMs = next; atMs < nowMs + MAX_MS; atMs += MINUTE_MS) if (!isQuiet(quiet, atMs)) return atMs;
  return nowMs + MAX_MS;
}
