/** On-call weeks: which person is notified first in each week. The weeks follow the wall clock of a time zone. */
import { type Fault, fault } from '../fault.ts';
import { isTimeZone, wallClockMs } from '../text/wall-clock.ts';
import type { Rota } from '../wire/people.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

/** @property untilMs when the person's week ends and the next week begins (Unix ms) */
export interface OnCall {
  readonly personId: string;
  readonly untilMs: number;
}

/** Returns who is on call at `nowMs`. Returns null if the first week has not begun, or if the on-call weeks are malformed (`rotaFault`). */
export function onCallAt({ persons, from, timeZone }: Rota, nowMs: number): OnCall | null {
  const [wallNow, begin] = [wallClockMs(timeZone, nowMs), momentOf(from)];
  if (wallNow === null || begin === null || wallNow < begin) return null;
  const week = Math.floor((wallNow - begin) / WEEK_MS);
  const personId = persons[week % persons.length];
  if (personId === undefined) return null;
  const handover = begin + (week + 1) * WEEK_MS;
  const guess = nowMs + handover - wallNow;
  // If the wall clock is put forward or back before the handover, the guess is wrong by this change. The next line corrects the guess.
  const untilMs = guess + handover - (wallClockMs(timeZone, guess) ?? handover);
  return { personId, untilMs: untilMs - (untilMs % 60_000) };
}

/** Returns what is wrong with the on-call weeks; null: nothing is wrong. */
export function rotaFault({ persons, from, timeZone, thenMinutes }: Rota): Fault | null {
  if (persons.length === 0) return fault('on-call weeks need at least one person');
  if (momentOf(from) === null) return fault(`${JSON.stringify(from)} is no date and time such as 2026-11-30T09:00`);
  if (!isTimeZone(timeZone)) return fault(`${JSON.stringify(timeZone)} is no time zone such as Europe/Berlin`);
  const isWhole = Number.isInteger(thenMinutes) && thenMinutes >= 1 && thenMinutes <= MAX_THEN_MINUTES;
  return isWhole ? null : fault(`the others are notified after 1 to ${MAX_THEN_MINUTES} minutes`);
}

/**
 * Returns the default of `from`, for example `2026-11-30T09:00`. The default is the latest Monday 9:00, by the wall clock of the zone, that
 * is not after `nowMs`. For an unknown zone, returns the first Monday of 1970.
 */
export function lastMonday(timeZone: string, nowMs: number): string {
  const week = (wallClockMs(timeZone, nowMs) ?? FIRST_MONDAY_MS) - FIRST_MONDAY_MS;
  return new Date(FIRST_MONDAY_MS + Math.floor(week / WEEK_MS) * WEEK_MS).toISOString().slice(0, 16);
}

const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5, 9);

/** The largest `thenMinutes`: the time after which the other approvers are notified. */
const MAX_THEN_MINUTES = 24 * 60;

/** Reads the text as a UTC time (ms). Returns null if the text has another form, or if the calendar does not have this date. */
function momentOf(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return null;
  const moment = Date.parse(`${text}:00Z`);
  return Number.isNaN(moment) || new Date(moment).toISOString().slice(0, 16) !== text ? null : moment;
}
