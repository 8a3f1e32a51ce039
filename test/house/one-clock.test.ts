/** Code reads the time only through `Clock`, so that tests of expiries need not wait, and the server's time never goes back. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../../src');
const CLOCK = 'platform/clock.ts';

const CLOCK_OF_THE_SYSTEM = /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bperformance\.now\b|\bhrtime\b/;
const readsSystemClock = (text: string): boolean => CLOCK_OF_THE_SYSTEM.test(text);

it('only one file reads the time of day and the elapsed time', () => {
  // The scripts in src/web/assets are not TypeScript, so they are not searched. They run in the browser, and measure only their own page.
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(400);
  const found = files.filter((name) => readsSystemClock(readFileSync(path.join(SRC, name), 'utf8')));
  expect(found).toEqual([CLOCK]);
});

it('the check finds every way to read the time', () => {
  const ways = ['Date.now()', 'new Date()', 'performance.now()', 'process.hrtime.bigint()', 'new Date(ms)'];
  expect(ways.map(readsSystemClock)).toEqual([true, true, true, true, false]);
});
