/** The page on the ASVS names each item once, and each file that it names for an item exists. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readDocuments, tableRows } from './markdown.ts';

const page = readDocuments().find(({ name }) => name === 'docs/asvs.md');
const rows = page === undefined ? [] : tableRows(page, 'item');
const met = rows.filter((cells) => cells.length === 4);
const unmet = rows.filter((cells) => cells.length === 3);

it('the tests that the page names for its items exist', () => {
  expect(met.length).toBeGreaterThan(50);
  const files = met.map(([, , , file = '']) => /^`(test\/[\w/.-]+)`$/.exec(file)?.[1] ?? file);
  expect(files.filter((file) => !file.startsWith('test/') || !existsSync(path.join(ROOT, file)))).toEqual([]);
});

it('each item is on the page once, and is either met or not', () => {
  const items = [...met, ...unmet].flatMap(([numbers = '']) => numbers.split(', '));
  expect(items.filter((item) => !/^\d{1,2}\.\d{1,2}\.\d{1,2}$/.test(item))).toEqual([]);
  expect(new Set(items).size).toBe(items.length);
  expect([unmet.length > 5, met.length + unmet.length]).toEqual([true, rows.length]);
});
