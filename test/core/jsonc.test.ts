/** A change of a settings file changes one place of its text, and leaves the rest unchanged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonc, plainValue } from '../../src/core/text/jsonc.ts';
import { appendItem, removeItems, removeMember, setMember, valueAt } from '../../src/core/text/jsonc-edit.ts';

const PATH = ['hooks', 'PreToolUse'];
const OURS = { hooks: [{ command: 'ours' }] };
const isOurs = (item: unknown): boolean => JSON.stringify(item) === JSON.stringify(OURS);

function value<T>(result: { ok: true; value: T } | { ok: false; failure: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

describe('reading', () => {
  it('agrees with JSON.parse on every JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (data, indent) => {
        const text = JSON.stringify(data, null, indent);
        expect(JSON.stringify(plainValue(value(parseJsonc(text))))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('accepts comments, trailing commas and JSON5 names', () => {
    const text = "// a\n{ /* b */ name: 'it\\'s', \"x\": [1, 2,], }\n";
    expect(plainValue(value(parseJsonc(text)))).toEqual({ name: "it's", x: [1, 2] });
  });

  it('reads both quotes, with and without a backslash, in a text in single quotes', () => {
    const text = String.raw`{ "a": 'say \"hi\"', "b": 'say "hi"', "c": 'a\\\'b' }`;
    expect(plainValue(value(parseJsonc(text)))).toEqual({ a: 'say "hi"', b: 'say "hi"', c: "a\\'b" });
  });

  it('reads the numbers of JSON5', () => {
    const text = '[-0x10, +1, .5, 5., 1e3, -Infinity, NaN]';
    expect(plainValue(value(parseJsonc(text)))).toEqual([-16, 1, 0.5, 5, 1000, -Infinity, Number.NaN]);
  });

  it.each([
    ['{"a" 1}', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": tru}', 1, 7],
    ['{"a": 1-2}', 1, 7],
    ['{"a": 1.2.3}', 1, 7],
    ['{"a": -}', 1, 7],
    ['{"a": "x\n"}', 1, 7],
    ['{"a":1} x', 1, 9],
    ['{"a":1, "a":2}', 1, 9],
    ['/* x', 1, 1],
    ['', 1, 1],
  ])('refuses %j at line %i, column %i', (text, line, column) => {
    expect(parseJsonc(text)).toMatchObject({ ok: false, failure: { line, column } });
  });
});

describe('changing', () => {
  const texts = [
    '{"a":1}',
    '{\n  "a": 1\n}\n',
    '{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t{"x": 1} // mine\n\t\t]\n\t}\n}\n',
    '{"hooks":{"PreToolUse":[{"a":1}], "Stop": []}}',
    '{\n  // before\n  "model": "x", // why\n  "hooks": {\n    "Stop": [1]\n  }\n}',
    '{}',
    '{\n  "hooks": {\n    "PreToolUse": [\n      {"x": 1}, // mine\n    ],\n  },\n}\n',
  ];

  it.each(texts)('adds a member and removes it again, byte for byte: %j', (text) => {
    const added = value(appendItem(text, PATH, OURS));
    expect(value(valueAt(added, PATH))).toContainEqual(OURS);
    for (const comment of text.match(/\/\/.*/g) ?? []) expect(added).toContain(comment);
    const back = value(removeItems(added, PATH, isOurs));
    // A trailing comma of a list may disappear; nothing else may differ.
    const withoutLastCommas = (one: string): string => one.replace(/,(?=\s*(\/\/ mine)?\s*[\]}])/g, '');
    expect(withoutLastCommas(back)).toBe(withoutLastCommas(text));
  });

  it('adds a member to any object without changing its other members', () => {
    const objects = fc.dictionary(
      fc.string().filter((name) => name !== 'hooks' && name !== '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 1, 4), (data, indent) => {
        const added = value(appendItem(JSON.stringify(data, null, indent), PATH, OURS));
        expect(JSON.parse(added)).toEqual({ ...JSON.parse(JSON.stringify(data)), hooks: { PreToolUse: [OURS] } });
      }),
      { numRuns: 200 },
    );
  });

  it('sets and removes a member', () => {
    const set = value(setMember('{\n  "a": 1 // one\n}\n', ['shell'], '/x'));
    expect(set).toBe('{\n  "a": 1, // one\n  "shell": "/x"\n}\n');
    expect(value(setMember(set, ['shell'], '/y'))).toContain('"shell": "/y"');
    expect(value(removeMember(set, ['shell']))).toBe('{\n  "a": 1 // one\n}\n');
  });

  it.each([
    ['{"a":[1, /* x, y */]}', (text: string) => appendItem(text, ['a'], 2), { a: [1, 2] }],
    ['{"a":[1, /* x, y */ ]}', (text: string) => appendItem(text, ['a'], 2), { a: [1, 2] }],
    ['{"a":1, // c\n "b":2}', (text: string) => removeMember(text, ['b']), { a: 1 }],
    ['{"a":1, // c\n "b":2,}', (text: string) => removeMember(text, ['b']), { a: 1 }],
    ['{"a":1, // c\n "b":2 /* x\n y */}', (text: string) => removeMember(text, ['b']), { a: 1 }],
    ['[1, // c\n 2]', (text: string) => removeItems(text, [], (item) => item === 2), [1]],
    ['[1, // c\n 2,]', (text: string) => removeItems(text, [], (item) => item === 2), [1]],
    ['[2]', (text: string) => removeItems(text, [], (item) => item === 2), []],
  ])('comments in %j stay comments', (text, change, expected) => {
    expect(value(valueAt(value(change(text)), []))).toEqual(expected);
  });

  describe('a text with random comments and commas has the expected value after', () => {
    const gap = fc.constantFrom('', ' ', '\n', '\n  ', ' // c, ]}\n', '/* x, y */', ' /* [{\n, */ ', '\t');
    const lists = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
    /** Writes the list as the member `a` of three, with these gaps between all signs. */
    const written = (list: readonly number[], gaps: readonly string[], hasComma: boolean): string => {
      let at = 0;
      const sign = (text: string) => `${text}${gaps[at++ % gaps.length] ?? ''}`;
      const comma = (isLast: boolean) => (!isLast || hasComma ? sign(',') : '');
      const items = list.map((item, place) => sign(String(item)) + comma(place === list.length - 1)).join('');
      const all = sign('[') + items + sign(']');
      const [before, after] = [sign('"x"') + sign(':') + sign('true'), sign('"z"') + sign(':') + sign('"//"')];
      return (
        sign('{') + before + sign(',') + sign('"a"') + sign(':') + all + sign(',') + after + comma(true) + sign('}')
      );
    };
    const texts = fc.tuple(lists, fc.array(gap, { minLength: 1, maxLength: 7 }), fc.boolean());
    const check = (change: (text: string) => ReturnType<typeof setMember>, expected: (list: number[]) => unknown) =>
      fc.assert(
        fc.property(texts, ([list, gaps, hasComma]) => {
          const text = written(list, gaps, hasComma);
          const after = value(change(text));
          expect([text, after, value(valueAt(after, []))]).toEqual([text, after, expected(list)]);
        }),
        { numRuns: 1_000 },
      );
    const rest = { x: true, z: '//' };

    it('appendItem', () =>
      check(
        (text) => appendItem(text, ['a'], 9),
        (list) => ({ ...rest, a: [...list, 9] }),
      ));
    it('a new member', () =>
      check(
        (text) => appendItem(text, ['b'], 9),
        (list) => ({ ...rest, a: list, b: [9] }),
      ));
    it('setMember', () =>
      check(
        (text) => setMember(text, ['x'], 9),
        (list) => ({ ...rest, x: 9, a: list }),
      ));
    it('removeMember, the first', () =>
      check(
        (text) => removeMember(text, ['x']),
        (a) => ({ z: '//', a }),
      ));
    it('removeMember, the last', () =>
      check(
        (text) => removeMember(text, ['z']),
        (a) => ({ x: true, a }),
      ));
    it('removeItems', () =>
      check(
        (text) => removeItems(text, ['a'], (item) => typeof item === 'number' && item > 1),
        (list) => {
          const left = list.filter((item) => item <= 1);
          return list.length > 0 && left.length === 0 ? rest : { ...rest, a: left };
        },
      ));
  });

  it('names what is in the way, if the place has another value', () => {
    expect(appendItem('{\n "hooks": 3}', PATH, OURS)).toMatchObject({ ok: false, failure: { line: 2, column: 11 } });
    expect(appendItem('[1]', PATH, OURS)).toMatchObject({ ok: false, failure: { line: 1, column: 1 } });
  });
});
