/** Finds the date and time that clocks in a time zone show. The result includes daylight saving time. */

/** The formatter of each time zone. Making a formatter is slow. Null: `Intl` knows no time zone with this name. */
const clocks = new Map<string, Intl.DateTimeFormat | null>();
const MAX_CLOCKS = 500;
/** The latest moment that a `Date` can have, Unix time in milliseconds. */
export const MAX_MOMENT_MS = 8.64e15;

/** Whether `Intl` knows a time zone with this name. */
export const isTimeZone = (timeZone: string): boolean => clockOf(timeZone) !== null;

/**
 * Returns the date and time that clocks in the zone show, to the minute. The result is the Unix time at which a clock in UTC shows the
 * same date and time. The difference of two results is the difference on the wall clock. Returns null if `Intl` does not know the zone, or
 * if `nowMs` is out of range.
 * @param nowMs Unix time
 */
export function wallClockMs(timeZone: string, nowMs: number): number | null {
  const clock = clockOf(timeZone);
  if (clock === null || !(Math.abs(nowMs) <= MAX_MOMENT_MS)) return null;
  const parts = new Map(clock.formatToParts(nowMs).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  return Number.isNaN(shown) ? null : shown;
}

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
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  } catch {
    return null; // a RangeError: `Intl` does not know the zone
  }
}
