/** Checks whether a scope covers lines at a given time. Hours follow the wall clock of a time zone, also for daylight saving time. */
import { type Fault, fault } from '../fault.ts';
import { isTimeZone, wallClockMs } from '../text/wall-clock.ts';
import type { Hours } from './command-scope.ts';

/**
 * What the wall clock shows.
 * @property minute of the day, 0 to 1439
 * @property day    0 (Sunday) to 6
 */
interface WallTime {
  readonly minute: number;
  readonly day: number;
}

/** Whether the hours include the time `nowMs`; false for an unknown time zone. */
export function isWithinHours({ from, to, days, timeZone }: Hours, nowMs: number): boolean {
  const now = wallTime(timeZone, nowMs);
  if (now === null) return false;
  const { minute, day } = now;
  if (from < to) return days.includes(day) && minute >= from && minute < to;
  // The hours go past midnight. `days` names the days on which the hours begin.
  const dayBefore = (day + 6) % 7;
  return (days.includes(day) && minute >= from) || (days.includes(dayBefore) && minute < to);
}

/** Returns what is wrong with the hours; null: the hours are valid. */
export function hoursFault({ from, to, days, timeZone }: Hours): Fault | null {
  const isWhole = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most;
  if (!isWhole(from, 0, 1439) || !isWhole(to, 1, 1440) || from === to)
    return fault('hours begin at minute 0 to 1439 of the day, and end at a different minute, 1 to 1440');
  if (days.length === 0 || new Set(days).size !== days.length || !days.every((day) => isWhole(day, 0, 6)))
    return fault('hours need at least one day, 0 (Sunday) to 6, and no day twice');
  return isTimeZone(timeZone) ? null : fault(`${JSON.stringify(timeZone)} is no time zone`);
}

function wallTime(timeZone: string, nowMs: number): WallTime | null {
  const shownMs = wallClockMs(timeZone, nowMs);
  if (shownMs === null) return null;
  const shown = new Date(shownMs);
  return { minute: shown.getUTCHours() * 60 + shown.getUTCMinutes(), day: shown.getUTCDay() };
}
