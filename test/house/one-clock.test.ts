/** Time is read through the port `Clock`: what ends by time can be tried without waiting, and the server's time never goes back. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../../src');
const CLOCK = 'platform/clock.ts';

const readsWallClock = (text: string): boolean => /\bDate\.now\s*\(|\bnew Date\s*\(\s*\)/.test(text);

it('the time of day is read in one file', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(400);
  const found = files.filter((name) => readsWallClock(readFileSync(path.join(SRC, name), 'utf8')));
  expect(found).toEqual([CLOCK]);
});

it('sees both ways to read it', () => {
  expect(['Date.now()', 'new Date()', 'new Date(ms)'].map(readsWallClock)).toEqual([true, true, false]);
});
