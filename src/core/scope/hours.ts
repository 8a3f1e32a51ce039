/** Hours of the day on certain days, by the wall clock of a time zone: also on the days when that clock is set. */
import type { Hours } from './command-scope.ts';

/** What the wall clock shows. @property minute of the day, 0 to 1439 @property day 0 (Sunday) to 6 */
interface WallTime {
  readonly minute: number;
  readonly day: number;
}

export function isWithinHours({ from, to, days, timeZone }: Hours, nowMs: number): boolean {
  const now = wallTime(timeZone, nowMs);
  if (now === null) return false;
  const { minute, day } = now;
  if (from < to) return days.includes(day) && minute >= from && minute < to;
  return (days.includes(day) && minute >= from) || (days.includes((day + 6) % 7) && minute < to);
}

/** What is wrong with them, or null. */
export function hoursFault({ from, to, days, timeZone }: Hours): string | null {
  const isWhole = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most;
  if (!isWhole(from, 0, 1439) || !isWhole(to, 1, 1440) || from === to)
    return 'hours begin at a minute from 0 to 1439 and end at another one from 1 to 1440';
  if (days.length === 0 || new Set(days).size !== days.length || !days.every((day) => isWhole(day, 0, 6)))
    return 'hours need at least one day, 0 (Sunday) to 6, each once';
  return clockOf(timeZone) === null ? `${JSON.stringify(timeZone)} is no time zone` : null;
}

/** Making one takes longer than asking it a thousand times. */
const clocks = new Map<string, Intl.DateTimeFormat | null>();
const MAX_CLOCKS = 500;

function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  if (clocks.size >= MAX_CLOCKS) clocks.clear();
  const clock = newClock(timeZone);
  clocks.set(timeZone, clock);
  return clock;
}

function newClock(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    });
  } catch {
    return null; // a RangeError: no such zone
  }
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function wallTime(timeZone: string, nowMs: number): WallTime | null {
  const clock = clockOf(timeZone);
  if (clock === null || !(Math.abs(nowMs) <= 8.64e15)) return null;
  const parts = new Map(clock.formatToParts(nowMs).map(({ type, value }) => [type, value]));
  const day = DAYS.indexOf(parts.get('weekday') ?? '');
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return day < 0 || !Number.isInteger(minute) ? null : { minute, day };
}
