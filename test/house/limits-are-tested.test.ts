/** A test names every limit of the server. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const limitsOf = (text: string) => [...text.matchAll(/^export const ([A-Z_]+) =/gm)].map(([, name = '']) => name);

/** Returns the limits that no text names outside its imports. */
const untested = (limits: readonly string[], texts: readonly string[]) =>
  limits.filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(withoutImports(text))));
const withoutImports = (text: string) => text.replace(/^import [\s\S]*?;$/gm, '');

it('a test names each limit', () => {
  const limits = limitsOf(readFileSync(`${root}src/server/limits.ts`, 'utf8'));
  expect(limits.length).toBeGreaterThan(20);
  const texts = ['component', 'security'].flatMap((suite) =>
    readdirSync(`${root}test/${suite}`)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(`${root}test/${suite}/${name}`, 'utf8')),
  );
  expect(untested(limits, texts)).toEqual([]);
});

it('the check finds a limit that is only imported', () => {
  expect(untested(['MAX_A', 'MAX_B'], ["import { MAX_A, MAX_B } from 'x';\nexpect(MAX_B).toBe(1);"])).toEqual([
    'MAX_A',
  ]);
});
