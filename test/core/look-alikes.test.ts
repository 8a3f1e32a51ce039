/** Finds letters in a command that only look like a-z. */
import { describe, expect, it } from 'vitest';
import { lookAlikesIn } from '../../src/core/text/look-alikes.ts';

const found = (text: string) => lookAlikesIn(text).map(({ character, like }) => `${character}=${like}`);

describe('letters that only look like a-z', () => {
  it('are found in a word that mixes them with a-z, and in a word that has only such letters', () => {
    expect(found('npm install r\u0435act')).toEqual(['\u0435=e']);
    expect(found('curl https://\u0440\u0430\u0443\u0440\u0430l.com')).toHaveLength(5);
    expect(found('ping \u0430\u0440\u0440\u04cf\u0435.com')).toHaveLength(5);
    expect(found('cat \uff45tc')).toEqual(['\uff45=e']);
    expect(found('cat a\u2215b')).toEqual(['\u2215=/']);
    expect(found('\u0251pt install')).toEqual(['\u0251=a']);
    expect(found('host\u02d080')).toEqual(['\u02d0=:']);
    expect(found('r\u212eact \u212e')).toEqual(['\u212e=e', '\u212e=e']);
  });

  it('do not include words of another language, accents and plain text', () => {
    for (const text of ['ls -la', 'echo Größe café', 'echo "Привет мир"', 'echo 日本語', 'echo Ελλάδα'])
      expect(found(text)).toEqual([]);
  });

  it('are found with their position in the text, also after characters of two code units', () => {
    const text = '😀 r\u0435act';
    const [one] = lookAlikesIn(text);
    expect(text.slice(one?.at, (one?.at ?? 0) + 1)).toBe('\u0435');
  });

  it('are counted up to a limit', () => {
    expect(lookAlikesIn('r\u0435act '.repeat(5_000), 300)).toHaveLength(300);
  });
});
