/** The texts that a word may become after expansion. */
import { parse } from 'unbash';
import { describe, expect, it, test } from 'vitest';
import { parseText } from '../../../src/core/reading/parse-text.ts';
import { spellingsOf, writtenText } from '../../../src/core/reading/spelling.ts';

/** The spellings of a word, with patterns between `<` and `>` to distinguish them from text. */
const spelled = (source: string): readonly string[] | null =>
  spellingsOf(source)?.map(
    ({ isHome, pieces }) =>
      (isHome ? 'HOME' : '') +
      pieces
        .map((piece) => (piece.kind === 'text' ? piece.value : piece.kind === 'glob' ? `<${piece.source}>` : '?'))
        .join(''),
  ) ?? null;

describe('The spellings of a word', () => {
  test.each([
    ['a', ['a']],
    ['a*b', ['a<*>b']],
    ['a\\*b', ['a*b']],
    ["a'*'b*", ['a*b<*>']],
    ['"a b"?', ['a b<?>']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['src/{.,}./x', ['src/../x', 'src/./x']],
    ['{a,{b,c}}*', ['a<*>', 'b<*>', 'c<*>']],
    ['{1..3}', ['1', '2', '3']],
    ['{c..a}', ['c', 'b', 'a']],
    ['{a,"b,c"}', ['a', 'b,c']],
    ['{,a}', ['a']],
    ['x{,a}', ['x', 'xa']],
    ['{a}', ['{a}']],
    ['{}', ['{}']],
    ['~', ['HOME']],
    ['~/x*', ['HOME/x<*>']],
    ['{~,x}/a', ['HOME/a', 'x/a']],
    ["''~/x", ['~/x']],
    ['[ab]x', ['<[ab]>x']],
    ['[!a]', ['<[!a]>']],
    ['[]a]', ['<[]a]>']],
    ['a[', ['a[']],
  ])('are found for %s', (source, spellings) => {
    expect(spelled(source)).toEqual(spellings);
  });

  test.each([
    '~root/x',
    '~+/x',
    '~-',
    '{~root,x}',
    '~{root,x}',
    '$x',
    '"$x"*',
    '`a`',
    '[a/b]*',
    '["a"]',
    '[[:alpha:]]',
    '{a,b',
    '{a}b,c}',
    '{a}[x,y]}',
    '{01..3}',
    '{a..c..2}',
    '{1..9999}',
    '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}',
    '@(a|b)',
  ])('are unknown for %s', (source) => {
    expect(spelled(source)).toBeNull();
  });

  it('include the pattern itself, as bash leaves a pattern that matches nothing', () => {
    expect(spellingsOf("a\\*[b]'?'")?.map(writtenText)).toEqual(['a*[b]?']);
  });
});

describe('The variable of a loop', () => {
  const wordsOf = (line: string) => parseText(line, parse).commands.flatMap(({ words }) => words);
  const isBound = (line: string) =>
    wordsOf(line).some((word) => word.kind === 'runtime' && word.spellings !== undefined && /"\$/.test(word.source));

  test.each([
    'for f in src/*.ts; do head "$f"; done',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    'for f in a b; do head "${f}"; done',
    'for f in a; do for g in *; do cat "$f"; done; done',
  ])('has only the words of its list: %s', (line) => {
    expect(isBound(line)).toBe(true);
  });

  test.each([
    'for f in *; do f=/etc/passwd; cat "$f"; done',
    'for f in *; do read f; cat "$f"; done',
    'for f in *; do export f=/x; cat "$f"; done',
    'for f in *; do for f in $x; do cat "$f"; done; done',
    'for f in *; do cd x; cat "$f"; done',
    'for f in $x; do cat "$f"; done',
    'for f in *; do :; done; cat "$f"',
    'for f in *; do cat "a$f"; done',
    'for f; do cat "$f"; done',
    'for _ in a b; do cat "$_"; done',
    'for COLUMNS in a b; do cat "$COLUMNS"; done',
    'for LINES in a b; do cat "${LINES}"; done',
  ])('may have any value: %s', (line) => {
    expect(isBound(line)).toBe(false);
  });
});
