/** One component of a glob pattern and the file names that it can match in any locale. */
import { expect, it } from 'vitest';
import type { Piece } from '../../src/core/reading/spelling.ts';
import { mayMatch } from '../../src/core/text/name-pattern.ts';

const glob = (source: string): Piece => ({ kind: 'glob', source });
const text = (value: string): Piece => ({ kind: 'text', value });

it.each([
  ['?', 'a', true],
  ['??', 'é', true],
  ['?*?', 'é', true],
  ['?*?*?*?', '😀', true],
  ['?*?', 'ab', true],
  ['?*?*?*?*?', '😀', false],
  ['?', '', false],
  ['*', '.a', false],
])('%s may match %j in one of the locales: %s', (pattern, name, expected) =>
  expect(mayMatch([...pattern].map(glob), name)).toBe(expected),
);

it('a text between two `?` is a character of its own', () =>
  expect(mayMatch([glob('?'), text('a'), glob('?')], 'a')).toBe(false));
