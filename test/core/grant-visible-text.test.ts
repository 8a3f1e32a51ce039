/** Text is shown so that nothing in it is invisible or acts on the screen. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasMoreMarksThan,
  labelledText,
  visibleJson,
  visibleLine,
  visibleSegments,
  visibleText,
} from '../../src/core/text/visible-text.ts';

/** Any text, with many characters that hide, change the order of text, or control a terminal. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom(
        '\u202e',
        '\u2066',
        '\u200b',
        '\u200d',
        '\x1b[2J',
        '\r',
        '\n',
        '\t',
        '\x7f',
        '\x9b',
        '\ufeff',
        '\u00a0',
        '␛',
        '\\u{',
        '\\',
        '\ud800',
        '\u{e0041}',
        '\u2028',
        '\u3164',
        '\n\x1b\n',
        ' ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Characters that act on a screen or are invisible. */
const ACTS_OR_HIDES = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Turns the marks of a visible line into the characters that they stand for. */
function readBack(line: string): string {
  return line.replace(/\\u\{([0-9a-f]+)\}|[\u2400-\u2421]/gu, (mark, hex?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return mark === '␡' ? '\x7f' : String.fromCodePoint((mark.codePointAt(0) ?? 0) - 0x2400);
  });
}

describe('visible text', () => {
  it('of several lines keeps newlines and tabs, and nothing else that acts or hides', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = visibleText(text);
        expect(shown.replace(/[\n\t]/g, '')).not.toMatch(ACTS_OR_HIDES);
        expect(shown.split('\n').length).toBe(text.split('\n').length);
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });

  it('as JSON has the same value, and nothing that acts or hides', () => {
    fc.assert(
      fc.property(hostile, hostile, (name, text) => {
        for (const indent of [0, 2]) {
          const shown = visibleJson(JSON.stringify({ [name]: [text] }, null, indent));
          expect(shown.replaceAll('\n', '')).not.toMatch(ACTS_OR_HIDES);
          expect(JSON.parse(shown)).toEqual({ [name]: [text] });
        }
      }),
    );
  });

  it('loses nothing: the segments joined are the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(
          visibleSegments(text)
            .map((segment) => segment.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('contains no character that acts on a screen, is invisible, or changes the order of text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(visibleLine(text)).not.toMatch(ACTS_OR_HIDES);
        for (const { kind, text: part } of visibleSegments(text))
          if (kind === 'plain') expect(part).not.toMatch(ACTS_OR_HIDES);
      }),
    );
  });

  it('can be read back from the line, so that two different texts never look the same', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(readBack(visibleLine(text))).toBe(text);
      }),
    );
  });

  it('gives each segment its kind and its label', () => {
    const kinds = visibleSegments('a\x1b[0m\u202eb\u200bc\n\td').map(({ kind, label }) => [kind, label]);
    expect(kinds).toEqual([
      ['plain', 'a'],
      ['control', '␛'],
      ['plain', '[0m'],
      ['bidi', '\\u{202e}'],
      ['plain', 'b'],
      ['invisible', '\\u{200b}'],
      ['plain', 'c'],
      ['newline', '␊'],
      ['tab', '␉'],
      ['plain', 'd'],
    ]);
  });

  it('distinguishes newlines and tabs from other control characters', () => {
    expect(visibleSegments('\x1b\n\t\x1b').map((segment) => segment.kind)).toEqual([
      'control',
      'newline',
      'tab',
      'control',
    ]);
  });

  it('as labelled text keeps line breaks, and labels every other special character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = labelledText(text);
        expect(shown.replaceAll('\n', '')).not.toMatch(ACTS_OR_HIDES);
        expect(shown.split('\n')).toHaveLength(text.split('\n').length);
      }),
    );
    expect(labelledText('a\x1b\u202e\tb\nc')).toBe('a\\u{1b}\\u{202e}\\u{9}b\nc');
  });

  it('says whether a text has more marks than a given number; line breaks do not count', () => {
    expect(hasMoreMarksThan('\x1ba\n\n\x1bb\tc', 2)).toBe(true);
    expect(hasMoreMarksThan('\x1ba\n\n\x1bb\tc', 3)).toBe(false);
  });

  it('accepts 1 MB of any character', () => {
    for (const unit of ['a', '\x1b', '\n', '\u202e', 'é\x07'])
      expect(visibleSegments(unit.repeat(1_000_000 / unit.length)).length).toBeGreaterThan(0);
  });
});
