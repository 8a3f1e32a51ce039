/** The modes, the title and the keyboard flags that a program has set, read from bytes that come in pieces. */
import { describe, expect, it } from 'vitest';
import { TerminalModes } from '../../src/session/screen/terminal-modes.ts';

const modesAfter = (...pieces: string[]): TerminalModes => {
  const modes = new TerminalModes();
  for (const piece of pieces) modes.read(Buffer.from(piece, 'latin1'));
  return modes;
};

describe('the modes of a terminal', () => {
  it.each(['\x1b]0;abc\x1b\\', '\x1b]2;abc\x07', 'x\x1b[?25l\x1b]0;abc\x1b\\y'])(
    'have the title of %j, wherever it is split',
    (text) => {
      for (let at = 0; at <= text.length; at++)
        expect(modesAfter(text.slice(0, at), text.slice(at)).title, `split at ${at}`).toBe('abc');
    },
  );

  it('have a title in UTF-8 whose bytes contain 9C', () => {
    const modes = new TerminalModes();
    modes.read(Buffer.from('\x1b]0;Москва\x07\x1b[?25l'));
    expect([modes.title, modes.isCursorVisible]).toEqual(['Москва', false]);
  });

  it.each([
    ['set', '\x1b[>1u\x1b[=4u', 4],
    ['set, with its mode', '\x1b[>1u\x1b[=4;1u', 4],
    ['add', '\x1b[>1u\x1b[=4;2u', 5],
    ['remove', '\x1b[>5u\x1b[=1;3u', 4],
    ['remove all', '\x1b[>1u\x1b[=1;3u', 0],
    ['pop', '\x1b[>1u\x1b[>5u\x1b[<u', 1],
  ])('have the keyboard flags after: %s', (_, text, flags) => {
    expect(modesAfter(text).text()).toBe(flags === 0 ? '' : `\x1b[=${flags};1u`);
  });
});
