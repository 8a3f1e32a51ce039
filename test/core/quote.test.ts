/** A quoted word is the same word for bash, and contains no control character. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteWord } from '../../src/core/text/quote.ts';

it.each([
  ['ls', 'ls'],
  ['a b', "'a b'"],
  ['', "''"],
  ["it's", "'it'\\''s'"],
  ['$HOME', "'$HOME'"],
  ['a\nb', "$'a\\x0ab'"],
  ["'\n\\", "$'\\'\\x0a\\\\'"],
  ['~', "'~'"],
  ['-x=/a,b:c', '-x=/a,b:c'],
])('%j is written as %s', (word, written) => {
  expect(quoteWord(word)).toBe(written);
});

it('a quoted word contains no control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (word) => {
      expect(/[\u0000-\u001f\u007f]/.test(quoteWord(word))).toBe(false);
    }),
  );
});

it('bash reads every quoted word back, also with hexadecimal digits after a control character', () => {
  const anyByte = fc.string({
    unit: fc.constantFrom(...'abf019 \'"\\$`!*?[]{}()<>|&;#~=\n\t\u0001\u001b\u007fäβ€'),
    maxLength: 12,
  });
  const words = fc
    .sample(fc.oneof(anyByte, fc.string({ unit: 'grapheme' })), 400)
    .map((word) => word.replaceAll('\0', ''));
  const script = words.map((word) => `printf '%s\\0' ${quoteWord(word)}`).join('\n');
  const run = spawnSync('/bin/bash', ['--norc'], { input: script, env: { LC_ALL: 'C.UTF-8' } });
  expect(run.stderr.toString()).toBe('');
  expect(run.stdout.toString('utf8').split('\0').slice(0, -1)).toEqual(words);
});
