/** Texts of git's settings, as we read them. `test/fuzz/git-settings.test.ts` compares the reading with git. */
import { expect, it } from 'vitest';
import { parseGitSettings } from '../../src/core/text/git-settings.ts';

/** Returns each setting as `[section, subsection, key, value]`. */
const read = (text: string) =>
  parseGitSettings(text)?.map(({ section, subsection, key, value }) => [section, subsection, key, value]) ?? null;

it.each([
  ['a = 1', [['', null, 'a', '1']]],
  ['[A]B=c\n[a.B "C\\"]"] d # =\n', null],
  [
    '[A]B=c\n[a.B "C\\"]"] d\n',
    [
      ['a', null, 'b', 'c'],
      ['a', 'b.C"]', 'd', null],
    ],
  ],
  [
    '[a]\nb = x\\\\\n[c "d"]\ne = f',
    [
      ['a', null, 'b', 'x\\'],
      ['c', 'd', 'e', 'f'],
    ],
  ],
  ['[a] # \\\n[c]\ne = "f;" g ; h', [['c', null, 'e', 'f; g']]],
  ['[a]\nb = x\\\r\n  y"\\t\\n" \r\n', [['a', null, 'b', 'x  y\t\n']]],
  ['[a]\nb = c\r|| \td\u2028e', [['a', null, 'b', 'c\r|| \td\u2028e']]],
])('%j is %j', (text, settings) => {
  expect(read(text)).toEqual(settings);
});

it.each(['[a', '[a "b]', '[a] b c', '[a] b = "c', '[a] b = \\c', '[a]\nb = c\0d', '[a "b\0"] c'])(
  '%j is not read',
  (text) => {
    expect(read(text)).toBeNull();
  },
);
