/** Texts that a person searches for: which texts are equal, and for which parts a database may look. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { certainParts, foldCase } from '../../src/core/text/searched-text.ts';

const ALL = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/** Compares as both databases do: only ASCII letters are equal in upper and lower case. */
const asciiLower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

describe('the case of letters', () => {
  it.each([
    ['Git STATUS', 'git status'],
    ['ΑΣ', 'ασ'],
    ['ПРИВЕТ', 'привет'],
    ['\u212a', '\u212a'],
    ['\u0130I', '\u0130i'],
  ])('of %j is folded to %j', (text, folded) => {
    expect(foldCase(text)).toBe(folded);
  });

  it('is folded to an ASCII letter only for an ASCII letter', () => {
    const others = ALL.filter((character) => character > '\u007f');
    expect(others.filter((character) => /[\0-\u007f]/.test(foldCase(character)))).toEqual([]);
  });
});

describe('the parts for which a database may look', () => {
  it.each([
    ['', []],
    ['git Status', ['status', 'git']],
    ['write /etc/passwd', ['/etc/passwd', 'write']],
    ['printf "100%\\n"', ['printf', '100%', 'n']],
    ['naïve', ['na', 've']],
    ['привет', []],
    ['検索 docker', ['docker', '検索']],
    ['a bb ccc dddd eeeee', ['eeeee', 'dddd', 'ccc', 'bb']],
    ['tab\there\nand\u0001there', ['there', 'here', 'tab', 'and']],
  ])('of %j are %j', (text, parts) => {
    expect(certainParts(text)).toEqual(parts);
  });

  it('have no character to which another character folds', () => {
    const certain = new Set(ALL.filter((character) => certainParts(character).join('') === character));
    expect(certain.size).toBeGreaterThan(1_000);
    const becoming = ALL.filter((character) => {
      const folded = foldCase(character);
      return asciiLower(character) !== folded && [...folded].some((each) => certain.has(each));
    });
    expect(becoming).toEqual([]);
  });

  it('are in every text that is found, and in its JSON', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aAkKiI\u0130\u212aςΣσ"\\ \n\té検%_!ß') });
    fc.assert(
      fc.property(letters, letters, letters, (before, wanted, after) => {
        const field = `${before}${wanted}${after}`;
        fc.pre(foldCase(field).includes(foldCase(wanted)));
        for (const part of certainParts(wanted)) {
          expect(asciiLower(field)).toContain(part);
          expect(asciiLower(JSON.stringify(field))).toContain(part);
        }
      }),
    );
  });
});
