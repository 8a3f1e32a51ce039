/** find puts paths in place of `{}`. They are regular files only if each of them was tested with `-type f`. */
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { commandsIn } from '../../../src/core/reading/commands-in.ts';
import { parseLine } from '../../../src/core/reading/parse-line.ts';

/** For each `{}` of the line: whether the reading takes it for a regular file. */
function filesIn(text: string): readonly boolean[] {
  const { commands } = commandsIn(parseLine(text, parse), parse);
  return commands.flatMap(({ command: { words } }) =>
    words.flatMap((word) =>
      word.kind === 'runtime'
        ? (word.spellings ?? []).flatMap(({ pieces }) =>
            pieces.flatMap((piece) => (piece.kind === 'below' ? [piece.isFile] : [])),
          )
        : [],
    ),
  );
}

it.each([
  ['find . -type f -exec cat {} +', [true]],
  ['find . -name a -type f -newer b -exec cat {} +', [true]],
  ['find . -type f -exec true {} \\; -exec cat {} \\;', [true, true]],
  ['find . -exec cat {} \\; -type f -exec cat {} \\;', [false, true]],
  ['find . -type f -exec true {} \\; -o -exec cat {} \\;', [false, false]],
  ['find . -type f -exec true {} \\; , -exec cat {} \\;', [false, false]],
  ['find . -type f -exec cat {} \\; -or -print', [false]],
  ['find . ! -type f -exec cat {} \\;', [false]],
  ['find . \\( -type f -o -type l \\) -exec cat {} \\;', [false]],
  ['find . -fprintf -type f -exec cat {} \\;', [false]],
  ['find . -name -type -exec cat {} \\;', [false]],
  ['find . -type d -exec cat {} \\;', [false]],
  ['find . -type f,l -exec cat {} \\;', [false]],
  ['find . -xtype f -exec cat {} \\;', [false]],
  ['find . -type f -execdir cat {} \\;', [false]],
])('%s', (text, expected) => expect(filesIn(text)).toEqual(expected));
