/** A node of the syntax tree that this code does not know makes the line opaque, as a newer parser may return such a node. */
import { type ParsedScript, parse } from 'unbash';
import { expect, it } from 'vitest';
import { parseText } from '../../src/core/reading/parse-text.ts';
import { readWord } from '../../src/core/reading/read-word.ts';

/** Parses the text, and gives every node of the type another type, as a parser with a new name for it does. */
function parseWithNewType(type: string): (text: string) => ParsedScript {
  const renamed = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(renamed);
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(
      Object.keys(node).map((key) => [key, renamed(Reflect.get(node, key))] as const),
    ) as Record<string, unknown>;
    return copy['type'] === type ? { ...copy, type: 'TypeOfANewerParser' } : copy;
  };
  return (text) => renamed(parse(text)) as ParsedScript;
}

const codesOf = (text: string, type: string) => parseText(text, parseWithNewType(type)).opaque.map(({ code }) => code);

it.each([
  ['Command', 'ls'],
  ['AndOr', 'ls && ls'],
  ['Pipeline', 'ls | ls'],
  ['Subshell', '(ls)'],
  ['If', 'if ls; then ls; fi'],
  ['TestUnary', '[[ -f x ]]'],
  ['TestBinary', '[[ x == y ]]'],
])('a new type in place of %s in %s', (type, text) => {
  expect(parseText(text, parse).opaque).toEqual([]);
  expect(codesOf(text, type)).toContain('unknown-syntax');
});

it.each<[string, object]>([
  ['part of a word', { type: 'TypeOfANewerParser' }],
  [
    'operation of a parameter',
    { type: 'ParameterExpansion', parameter: 'x', operation: { type: 'TypeOfANewerParser' } },
  ],
])('a new %s', (_, part) => {
  const codes: string[] = [];
  const place = { text: '$x', pos: 0, end: 2 };
  const word = { type: 'Word', value: '$x', ...place, parts: [{ ...place, ...part }] };
  readWord(word as never, {
    isSubstituted: false,
    isPosix: false,
    script: () => {},
    opaque: ({ code }) => codes.push(code),
  });
  expect(codes).toContain('unknown-syntax');
});
