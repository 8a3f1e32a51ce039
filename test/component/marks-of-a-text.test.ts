/** A hostile text gets no more marks than a browser and the one thread of the server can handle, and says where the marks end. */
import { expect, it } from 'vitest';
import { diffHtml, lineHtml, visibleHtml } from '../../src/web/visible-html.ts';

const marksIn = (html: string): number => html.split('<mark').length - 1;
const SAYS = 'letters that look like others are not marked';

it.each([
  ['lines', 'a\u0430\n'],
  ['words', 'a\u0430 '],
  ['lines of a diff', '+a\u0430\n'],
  ['signs', '\u2044'],
  ['one word', '\u0430a'],
])('a text of %s', (_, piece) => {
  const text = piece.repeat(200_000);
  for (const html of [visibleHtml(text).text, diffHtml(text).text, lineHtml(text).text]) {
    expect(marksIn(html)).toBe(3_000);
    expect(html.split(SAYS)).toHaveLength(2);
    expect(html.length).toBeLessThan(25 * text.length);
  }
});

it('marks the last of a few hundred words, and says so if it has no mark', () => {
  const last = '\u0440\u0430ural';
  expect(visibleHtml('a\u0430 '.repeat(300) + last).text).not.toContain(SAYS);
  expect(marksIn(visibleHtml('a\u0430 '.repeat(300) + last).text)).toBe(302);
  const html = visibleHtml('a\u0430 '.repeat(3_000) + last).text;
  expect(html.indexOf(SAYS)).toBeLessThan(html.indexOf(last));
  expect(html.indexOf(SAYS)).toBeGreaterThan(0);
});

it('says that look-alikes have no marks if other characters need too many', () => {
  expect(visibleHtml(`a\u0430${'\u200b!'.repeat(4_000)}`).text).toContain(SAYS);
  expect(visibleHtml(`aa${'\u200b!'.repeat(4_000)}`).text).not.toContain(SAYS);
});
