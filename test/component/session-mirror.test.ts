/** What the mirror of a session shows of the screen, and what it keeps of output that it has not rendered. */
import { describe, expect, it } from 'vitest';
import { ScreenMirror } from '../../src/session/screen/screen-mirror.ts';

const SIZE = { columns: 40, rows: 6 };
const KIB = 1024;

function mirror(...output: string[]): ScreenMirror {
  const made = new ScreenMirror(SIZE, () => undefined);
  for (const text of output) made.take(Buffer.from(text));
  return made;
}

describe('the screen', () => {
  it('has the text, with each wide character as one, and the cursor', async () => {
    const view = await mirror('one\r\n日本 wide\r\n$ ').view();
    expect(view.lines).toEqual(['one', '日本 wide', '$', '', '', '']);
    expect(view.cursor).toEqual({ row: 2, column: 2, isVisible: true });
    expect(view).toMatchObject({ columns: 40, rows: 6, isAlternate: false, isPasteBracketed: false, title: '' });
  });

  it('has the last title, the alternate buffer, bracketed paste and a hidden cursor', async () => {
    const shown = mirror('below\x1b]0;first\x07\x1b]2;sécond\x1b\\', '\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[Habove');
    expect(await shown.view()).toMatchObject({
      title: 'sécond',
      isAlternate: true,
      isPasteBracketed: true,
      lines: ['above', '', '', '', '', ''],
      cursor: { isVisible: false },
    });
    shown.take(Buffer.from('\x1b[?1049l\x1b[?2004l\x1b[?25h'));
    expect(await shown.view()).toMatchObject({
      isAlternate: false,
      isPasteBracketed: false,
      lines: ['below', '', '', '', '', ''],
      cursor: { isVisible: true },
    });
  });

  it('distinguishes dim and grey cells from a draft', async () => {
    const shades = '\x1b[2md\x1b[0m\x1b[90mb\x1b[0m\x1b[38;5;244mg\x1b[0m\x1b[38;2;120;120;128mr\x1b[0m';
    const plain = 'p\x1b[31mR\x1b[38;5;255mw\x1b[38;2;250;250;250mW\x1b[0m';
    expect((await mirror(`${shades}${plain} \x1b[2m \x1b[0m`).view()).faintColumns[0]).toEqual([0, 1, 2, 3]);
  });

  it('shows everything that was written before the call, and nothing later', async () => {
    const shown = mirror('before ');
    const view = shown.view();
    shown.take(Buffer.from('later'));
    expect((await view).lines[0]).toBe('before');
    expect((await shown.view()).lines[0]).toBe('before later');
  });

  it('reads a sequence that arrives in two pieces, also if the cut is inside a character', async () => {
    const bytes = Buffer.from('\x1b]2;tïtle\x07\x1b[31mré');
    for (let at = 1; at < bytes.length; at++) {
      const shown = mirror();
      shown.take(bytes.subarray(0, at));
      await shown.render();
      shown.take(bytes.subarray(at));
      expect(await shown.view()).toMatchObject({ title: 'tïtle', lines: ['ré', '', '', '', '', ''] });
    }
  });

  it('answers the queries of a program to its terminal', async () => {
    const answers: string[] = [];
    const shown = new ScreenMirror(SIZE, (answer) => void answers.push(answer.toString()));
    shown.take(Buffer.from('ab\x1b[6n'));
    await shown.render();
    expect(answers).toEqual(['\x1b[1;3R']);
  });
});

describe('output that was not rendered', () => {
  const flood = (bytes: number): Buffer => Buffer.from(`${'x'.repeat(38)}\r\n`.repeat(Math.ceil(bytes / 40)));

  it('is kept up to about a MiB, and the mirror says how much was dropped', async () => {
    const shown = mirror('start');
    for (let count = 0; count < 50; count++) shown.take(flood(100 * KIB));
    expect(shown.waitingBytes).toBeLessThanOrEqual(1024 * KIB);
    expect(shown.isPatchy).toBe(true);
    shown.take(Buffer.from('the end'));
    expect((await shown.view()).lines).toEqual([...Array(5).fill('x'.repeat(38)), 'the end']);
  });

  it('still gives the title and the modes that it sets', async () => {
    const shown = mirror('\x1b]2;old\x07\x1b]0;a tïtle\x07\x1b[?2004h\x1b[?1049h\x1b[?25l\x1b[?1000;1006h');
    shown.take(flood(2048 * KIB));
    const view = await shown.view();
    expect(view).toMatchObject({ title: 'a tïtle', isAlternate: true, isPasteBracketed: true });
    expect(view.cursor.isVisible).toBe(false);
    expect((await shown.painting()).toString()).toContain('\x1b[?1006h');
  });

  it('still gives a title that lies across two of its blocks', async () => {
    const shown = mirror(`${'y'.repeat(64 * KIB - 9)}\x1b]2;across the border\x07`);
    shown.take(flood(2048 * KIB));
    expect((await shown.view()).title).toBe('across the border');
  });

  it('is only copied: 200 MB take less than two seconds', () => {
    const shown = mirror();
    const chunk = flood(64 * KIB);
    const before = process.cpuUsage();
    for (let bytes = 0; bytes < 200e6; bytes += chunk.length) shown.take(chunk);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
  });
});

describe('a repaint', () => {
  const COLOURS = '\x1b[1;31mred\x1b[0m \x1b[2mdim\x1b[0m \x1b[38;5;244;48;2;1;2;3mgrey\x1b[0m 日本';

  it('makes another screen show the same text, history, modes and title', async () => {
    const first = mirror(`${COLOURS}\r\nnormal`, '\x1b[?1049h\x1b[2;3Habove\x1b[4;2H', '\x1b[?2004h\x1b]2;title\x07');
    const second = mirror('something else was here\r\n'.repeat(4));
    second.take(await first.painting());
    expect(await second.view()).toEqual(await first.view());
    for (const each of [first, second]) each.take(Buffer.from('\x1b[?1049l'));
    expect(await second.view()).toEqual(await first.view());
    expect((await second.view()).faintColumns[0]).toEqual([4, 5, 6, 8, 9, 10, 11]);
  });
});
