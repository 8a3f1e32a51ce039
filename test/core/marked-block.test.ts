/** The block of ape-shell in a file of a person is there once, whatever an editor did to the ends of its lines. */
import { describe, expect, it } from 'vitest';
import { withBlock, withoutBlock } from '../../src/core/text/marked-block.ts';

const block = (text: string) => `# >>> ape-shell hooks >>>\n${text}\n# <<< ape-shell hooks <<<\n`;
const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ['as written', (text) => text],
  ['without the last newline', (text) => text.replace(/\n$/, '')],
  ['with CR LF', (text) => text.replaceAll('\n', '\r\n')],
  ['with CR LF and without the last one', (text) => text.replaceAll('\n', '\r\n').replace(/\r\n$/, '')],
  ['with blanks after the marks', (text) => text.replaceAll(/(>>>|<<<)\n/g, '$1 \t\n')],
];

describe.each(FORMS)('a block %s', (_, formed) => {
  it.each(['', 'a = 1\n'])('is replaced behind %j', (before) => {
    const old = formed(before + block('old'));
    const now = withBlock(old, 'hooks', 'new', 'end');
    expect(now.replaceAll('\r', '')).toBe(before + block('new'));
    expect(withBlock(now, 'hooks', 'new', 'end')).toBe(now);
    expect(withoutBlock(old, 'hooks').replaceAll('\r', '')).toBe(before);
  });
});

it('two blocks become one', () => {
  expect(withBlock(`a\n${block('x')}b\n${block('y')}`, 'hooks', 'z', 'end')).toBe(`a\nb\n${block('z')}`);
});

it('a mark inside of a line, another block, and a block without an end stay', () => {
  for (const text of [
    `x ${block('old')}`,
    block('old').replace('hooks >>>', 'shim >>>'),
    '# >>> ape-shell hooks >>>\nx\n',
  ])
    expect(withoutBlock(text, 'hooks')).toBe(text);
});

it('keeps the lines behind a block without its end mark, also if another block follows', () => {
  const broken = '# >>> ape-shell hooks >>>\nold\nuser line\n';
  expect(withoutBlock(withBlock(broken, 'hooks', 'new', 'end'), 'hooks')).toBe(broken);
});
