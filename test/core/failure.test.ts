/** The one line of a failure: its message, the advice, where to look, and what has not happened. */
import { expect, it } from 'vitest';
import { adviceText, failure, failureLine, nothingRan, seesHealth } from '../../src/core/failure.ts';

const bare = failure('system', 'it broke');
const advised = failure('system', 'it broke', 'mend it');

it.each([
  [bare, 'ape-shell: it broke'],
  [advised, 'ape-shell: it broke; mend it'],
  [nothingRan(bare), 'ape-shell: it broke; nothing ran'],
  [nothingRan(advised), 'ape-shell: it broke; mend it; nothing ran'],
  [seesHealth(bare), 'ape-shell: it broke; see `apes health`'],
  [nothingRan(seesHealth(bare)), 'ape-shell: it broke; see `apes health`; nothing ran'],
  [nothingRan(seesHealth(advised)), 'ape-shell: it broke; mend it, or see `apes health`; nothing ran'],
  [
    { ...seesHealth(bare), consequence: 'nothing-done' as const },
    'ape-shell: it broke; see `apes health`; nothing was done',
  ],
])('%j is one line', (why, line) => {
  expect(failureLine('ape-shell', why)).toBe(line);
});

it('there is no advice where there is nothing to say', () => {
  expect(adviceText(bare)).toBeUndefined();
});
