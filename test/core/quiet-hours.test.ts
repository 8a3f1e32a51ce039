/** Quiet hours by the wall clock: across midnight, and on days when summer time begins or ends. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isQuiet, quietEndMs, quietFault } from '../../src/core/notification/quiet-hours.ts';

const NIGHT = { from: 22 * 60, to: 7 * 60, timeZone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();

it.each([
  ['2026-06-10T19:59:59Z', false],
  ['2026-06-10T20:00:00Z', true], // 22:00 in Berlin
  ['2026-06-10T23:30:00Z', true],
  ['2026-06-11T04:59:59Z', true],
  ['2026-06-11T05:00:00Z', false],
])('a night in summer: whether %s is quiet is %s', (moment, isIt) => {
  expect(isQuiet(NIGHT, at(moment))).toBe(isIt);
});

it.each([
  ['after midnight', '2026-06-10T21:00:00Z', '2026-06-11T05:00:00.000Z'],
  ['if the clock is set forward in this night', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['if the clock is set back in this night', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
  ['if the question comes in their last minute', '2026-06-11T04:59:30.500Z', '2026-06-11T05:00:00.000Z'],
])('quiet hours end at the right moment %s', (_, from, end) => {
  expect(iso(quietEndMs(NIGHT, at(from)))).toBe(end);
});

it('quiet hours may begin and end in an hour that the clock skips or repeats', () => {
  const skipped = { from: 2 * 60 + 15, to: 2 * 60 + 45, timeZone: 'Europe/Berlin' };
  const minutes = Array.from({ length: 180 }, (_, minute) => at('2026-03-29T00:00:00Z') + minute * 60_000);
  expect(minutes.some((ms) => isQuiet(skipped, ms))).toBe(false); // that day has no 02:15 to 02:45
  expect(isQuiet(skipped, at('2026-10-25T00:20:00Z'))).toBe(true);
  expect(isQuiet(skipped, at('2026-10-25T01:20:00Z'))).toBe(true); // the repeated hour
});

it('quiet hours always end at the first moment that is not quiet', () => {
  const hours = fc.record({
    from: fc.integer({ min: 0, max: 1439 }),
    to: fc.integer({ min: 1, max: 1440 }),
    timeZone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
  });
  fc.assert(
    fc.property(
      hours,
      fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
      (quiet, now) => {
        fc.pre(quietFault(quiet) === null && isQuiet(quiet, now) && quiet.from % 1440 !== quiet.to % 1440);
        const end = quietEndMs(quiet, now);
        expect(isQuiet(quiet, end)).toBe(false);
        for (let ms = now; ms < end; ms += 601_000) expect(isQuiet(quiet, ms)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

it.each([
  ['if every hour is quiet', { from: 0, to: 1440, timeZone: 'UTC' }, '2026-06-10T12:00:00Z'],
  // At midnight before 24 April 2026, the clock in Cairo skips from 0:00 to 1:00, the only hour that is not quiet.
  ['if the clock skips the hours between', { from: 60, to: 1440, timeZone: 'Africa/Cairo' }, '2026-04-23T12:00:00Z'],
])('a notification is looked at again 26 hours later %s', (_, quiet, now) => {
  const again = at(now) + 26 * 60 * 60_000;
  expect([quietFault(quiet), quietEndMs(quiet, at(now)), isQuiet(quiet, again)]).toEqual([null, again, true]);
});

it.each([
  [{ from: 60, to: 60, timeZone: 'UTC' }, /end at a different minute/],
  [{ from: 0, to: 60, timeZone: 'Mars/Olympus' }, /no time zone/],
])('malformed quiet hours are refused', (quiet, fault) => {
  expect(quietFault(quiet)?.message).toMatch(fault);
});
