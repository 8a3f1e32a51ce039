/** A thief of a key has time to search for another key with the same code, so the code has to be long. */
import { expect, it } from 'vitest';
import { keyCode } from '../../src/platform/key-code.ts';

it('the code of a key has 80 bits, and begins as in older versions', () => {
  const code = keyCode('s', 's_1', 'k');
  expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  expect(code.slice(0, 9)).toBe('GVVT-JBSW');
  expect(keyCode('s', 's_1', 'l').slice(9)).not.toBe(code.slice(9));
});
