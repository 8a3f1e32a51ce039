/** Which statements get a name, so that a connection to PostgreSQL keeps their plans. */
import { expect, it } from 'vitest';
import { StatementNames } from '../../src/store/statement-names.ts';

const VALUES = [1];

it('a text gets its name at its second use, and keeps it', () => {
  const names = new StatementNames();
  expect([names.of('a', VALUES), names.of('b', VALUES)]).toEqual([undefined, undefined]);
  const [a, b] = [names.of('a', VALUES), names.of('b', VALUES)];
  expect(new Set([a, b, undefined]).size).toBe(3);
  expect([names.of('a', [2]), names.of('b', VALUES)]).toEqual([a, b]);
});

it('a text of our source has its name from its first use on, also beyond the limit', () => {
  const names = new StatementNames(1);
  names.always('a');
  names.always('b');
  names.always('a');
  const [a, b] = [names.of('a', VALUES), names.of('b', [])];
  expect(new Set([a, b, undefined]).size).toBe(3);
});

it('beyond the limit, a text gets no name however often it is used', () => {
  const names = new StatementNames(2);
  for (let turn = 0; turn < 3; turn += 1) for (const text of ['a', 'b', 'c']) names.of(text, VALUES);
  expect(['a', 'b', 'c'].map((text) => typeof names.of(text, VALUES))).toEqual(['string', 'string', 'undefined']);
});

it('a text without parameters gets no name', () => {
  const names = new StatementNames();
  for (let turn = 0; turn < 3; turn += 1) expect(names.of('begin', [])).toBe(undefined);
});

it('texts that are used once each are forgotten, and a text that is used twice in a row has a name after them', () => {
  const names = new StatementNames();
  names.of('early', VALUES);
  for (let number = 0; number < 1_024; number += 1) names.of(`select ${number}`, VALUES);
  expect(names.of('early', VALUES)).toBe(undefined);
  expect(names.of('early', VALUES)).toMatch(/^ape_[0-9a-f]{24}$/);
});
