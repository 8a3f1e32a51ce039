/** Durations such as `5m` are read and shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, formatTimeLeft, parseDuration } from '../../src/core/text/duration.ts';

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['90', 90_000],
    ['0.5', 500],
    [' 5m ', 300_000],
  ])('%j is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '0',
    '0s',
    '-1s',
    's',
    '5 m',
    '5x',
    '5M',
    '1e3',
    '1h-',
    '0.4ms',
    'h1',
    '１０s',
    '3651d',
    '9'.repeat(400),
    'NaN',
    'Infinity',
  ])('%j is not a duration', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('is read as a positive whole number of ms, or refused, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.smhd ]{0,12}$/)), (text) => {
        const ms = parseDuration(text);
        expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= 10 * 365 * 86_400_000)).toBe(true);
      }),
    );
  });

  it('is the sum of its parts', () => {
    const part = fc.record({ count: fc.integer({ min: 1, max: 99 }), unit: fc.constantFrom('s', 'm', 'h', 'd') });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts.map(({ count, unit }) => `${count}${unit}`).join('');
        const total = parts.reduce((sum, { count, unit }) => sum + (parseDuration(`${count}${unit}`) ?? Number.NaN), 0);
        expect(parseDuration(text)).toBe(total);
      }),
    );
  });
});

describe('a duration as text', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [4000, '4 s'],
    [180_000, '3 min'],
    [7_500_000, '2 h 5 min'],
    [7_503_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [86_400_000 + 5000, '1 d 5 s'],
    [-5000, '0 s'],
  ])('%i ms is %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('is never more than the duration, and is read back to within its smaller unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 10 * 365 * 86_400_000 }), (ms) => {
        const back = parseDuration(formatDuration(ms).replaceAll(' ', '').replaceAll('min', 'm'));
        expect(back).not.toBeNull();
        expect(back).toBeLessThanOrEqual(ms);
        expect(ms - (back ?? 0)).toBeLessThan(3_600_000);
      }),
    );
  });
});

describe('formatTimeLeft', () => {
  it.each([
    [172_800_000, '2 d'],
    [172_799_000, '2 d'],
    [172_800_000 - 1_799_000, '2 d'],
    [172_800_000 - 1_801_000, '1 d 23 h'],
    [3_600_000 - 400, '1 h'],
    [899_600, '15 min'],
    [4400, '4 s'],
  ])('shows %i ms as %j: of 2 days, 2 d are left right after asking', (ms, text) => {
    expect(formatTimeLeft(ms)).toBe(text);
  });
});
