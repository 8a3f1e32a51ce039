/** During quiet hours, an approver is not notified. Quiet hours follow the wall clock of a time zone. */
import type { Fault } from '../fault.ts';
import { hoursFault, isWithinHours } from '../scope/hours.ts';
import type { QuietHours } from '../wire/notification.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const MINUTE_MS = 60_000;
/** How far `quietEndMs` searches: longer than the longest day. The day on which the clock is set back has 25 hours. */
const MAX_MS = 26 * 60 * MINUTE_MS;

/** Also returns false if there are no quiet hours (null), or if the time zone is unknown. */
export const isQuiet = (quiet: QuietHours | null, nowMs: number): boolean =>
  quiet !== null && isWithinHours({ ...quiet, days: EVERY_DAY }, nowMs);

/** Returns what is wrong with the quiet hours; null: nothing is wrong. */
export const quietFault = (quiet: QuietHours | null): Fault | null =>
  quiet === null ? null : hoursFault({ ...quiet, days: EVERY_DAY });

/**
 * Returns the next full minute that is not quiet (Unix ms). If the next 26 hours are all quiet, returns `nowMs` plus 26 hours. All these
 * hours can be quiet in two cases:
 * - the quiet hours are from 0:00 to 24:00
 * - the only time of the day that is not quiet is skipped when summer time begins
 */
export function quietEndMs(quiet: QuietHours, nowMs: number): number {
  const next = Math.floor(nowMs / MINUTE_MS + 1) * MINUTE_MS;
  for (let atMs = next; atMs < nowMs + MAX_MS; atMs += MINUTE_MS) if (!isQuiet(quiet, atMs)) return atMs;
  return nowMs + MAX_MS;
}
