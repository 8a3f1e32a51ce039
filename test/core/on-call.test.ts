/** On-call weeks by the wall clock: people take turns from the first week on, also in weeks in which summer time begins or ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onCallAt, rotaFault } from '../../src/core/people/on-call.ts';
import { wallClockMs } from '../../src/core/text/wall-clock.ts';
import type { Rota } from '../../src/core/wire/people.ts';

const ROTA: Rota = { persons: ['ada', 'grace'], from: '2026-10-19T09:00', timeZone: 'Europe/Berlin', thenMinutes: 10 };
const at = (moment: string) => onCallAt(ROTA, Date.parse(moment));

describe('on-call weeks', () => {
  it.each([
    ['2026-10-19T06:59:59Z', null, null],
    ['2026-10-19T07:00:00Z', 'ada', '2026-10-26T08:00:00.000Z'], // the clock is set back on the 25th
    ['2026-10-26T07:59:59Z', 'ada', '2026-10-26T08:00:00.000Z'],
    ['2026-10-26T08:00:00Z', 'grace', '2026-11-02T08:00:00.000Z'],
    ['2026-11-02T08:00:00Z', 'ada', '2026-11-09T08:00:00.000Z'],
    ['2027-03-28T12:00:00Z', 'ada', '2027-03-29T07:00:00.000Z'], // the clock is set forward on this day
  ])('at %s the person on call is %s, until %s', (moment, personId, until) => {
    const found = at(moment);
    expect(found === null ? [null, null] : [found.personId, new Date(found.untilMs).toISOString()]).toEqual([
      personId,
      until,
    ]);
  });

  it('change to the next person at the hour of the wall clock, at any moment in any time zone', () => {
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
    const moment = fc.integer({ min: Date.parse('2026-11-01T00:00Z'), max: Date.parse('2031-01-01T00:00Z') });
    fc.assert(
      fc.property(zone, moment, fc.integer({ min: 1, max: 5 }), (timeZone, nowMs, count) => {
        const persons = Array.from({ length: count }, (_, index) => `p${index}`);
        const rota = { ...ROTA, persons, timeZone };
        const now = onCallAt(rota, nowMs);
        if (now === null) throw new Error('the first week has begun');
        expect(now.untilMs).toBeGreaterThan(nowMs);
        expect(now.untilMs - nowMs).toBeLessThanOrEqual((7 * 24 + 1) * 3_600_000);
        const shown = new Date(wallClockMs(timeZone, now.untilMs) ?? 0);
        expect([shown.getUTCDay(), shown.getUTCHours(), shown.getUTCMinutes()]).toEqual([1, 9, 0]);
        const next = onCallAt(rota, now.untilMs);
        expect(next?.personId).toBe(persons[(persons.indexOf(now.personId) + 1) % count]);
        expect(onCallAt(rota, now.untilMs - 60_000)?.personId).toBe(now.personId);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ from: '2026-02-30T09:00' }, 'is no date and time'],
    [{ from: '2026-10-19 09:00' }, 'is no date and time'],
    [{ from: '2026-10-19T24:00' }, 'is no date and time'],
    [{ timeZone: 'Mars/Olympus' }, 'is no time zone'],
    [{ persons: [] }, 'at least one person'],
    [{ thenMinutes: 0 }, 'after 1 to 1440 minutes'],
    [{ thenMinutes: 1.5 }, 'after 1 to 1440 minutes'],
  ])('are refused with %j', (change, reason) => {
    expect(rotaFault({ ...ROTA, ...change })?.message).toContain(reason);
  });

  it('are accepted with valid values', () => {
    expect(rotaFault(ROTA)).toBeNull();
  });
});
