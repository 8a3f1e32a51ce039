/** A failure is printed as one line: the message, the advice, `apes health` if it may help, and what was not done. */
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
])('a failure %j is printed as one line', (why, line) => {
  expect(failureLine('ape-shell', why)).toBe(line);
});

it('the printed line has a visible mark for a control character, and leaves such a mark in the text unchanged', () => {
  expect(failureLine('apes', failure('usage', 'no \u001b[31m\u0007 and \u202e, but ␛ and \\u{202e}'))).toBe(
    'apes: no ␛[31m␇ and \\u{202e}, but ␛ and \\u{202e}',
  );
});

it('a failure without advice has no advice text', () => {
  expect(adviceText(bare)).toBeUndefined();
});

it('the printed line shortens a very long message, but keeps its beginning and its end', () => {
  const line = failureLine('apes', failure('usage', `there is no verb ${'x'.repeat(100_000)}`, 'see apes --help'));
  expect(line.length).toBeLessThan(4_100);
  expect(line).toMatch(/^apes: there is no verb x+… \(\d+ characters left out\) …x+; see apes --help$/);
});
