/** Properties of the reader of lines, with random lines of the grammar and of the corpus. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { parse } from 'unbash';
import { expect, it } from 'vitest';
import { parseText } from '../../src/core/reading/parse-text.ts';
import type { ParsedText } from '../../src/core/reading/reading.ts';
import { readCorpus, written } from '../corpus/corpus.ts';
import { randomLine } from '../fuzz/grammar.ts';
import { mutate } from '../fuzz/mutation.ts';
import { seeded } from '../fuzz/random.ts';

const read = (text: string): ParsedText => parseText(text, parse);
const corpus = readCorpus().map(({ text }) => text);
const plain = corpus.filter((text) => read(text).opaque.length === 0);

/** A line of the grammar, of the corpus, or of the corpus with a few errors in it. */
const anyLine = fc.tuple(fc.nat(), fc.constantFrom('grammar', 'corpus', 'mutation')).map(([seed, kind]) => {
  const random = seeded(seed);
  if (kind === 'grammar') return randomLine(random);
  return kind === 'corpus' ? random.pick(corpus) : mutate(random.pick(corpus), corpus, random);
});
/** An understood line without here-document and comment, because these would take in the text that follows. */
const plainLine = fc.oneof(fc.constantFrom(...plain), anyLine).filter((text) => {
  return (
    !/<<|#/.test(text) && !/[;&\s]$/.test(text) && read(text).opaque.length === 0 && read(text).commands.length > 0
  );
});

/** Everything in the result except the positions of the commands. */
const contents = ({ commands, opaque }: ParsedText): readonly string[] => [
  ...commands.map(written),
  ...opaque.map(({ reason }) => `opaque: ${reason}`),
];

it('any text can be read, each time with the same result', () => {
  fc.assert(
    fc.property(
      fc.oneof(anyLine, fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 })),
      (text) => {
        expect(read(text)).toEqual(read(text));
      },
    ),
    { numRuns: 2000 },
  );
});

it('64 KiB of any text are read within two seconds', () => {
  const pieces = [
    ..."$( ( { ` \" ' \\ $ ${ $(( [[ (( <( <<a ; & | || ! a a= a[ {a, ~ * @( # \n $' if case [ ] )".split(' '),
    ' ',
    '\t',
    '\u0001',
    'a ',
    'a;',
    'a|',
    '"$(',
    '`\\`',
    '${x:-',
    '$(a ',
    '(a;',
    '{ a;',
    'if a;then ',
    '[[ ! ',
    '[[ ( ',
    '! ',
    'a=(',
    '{a,b}',
    '$((1+',
    'x$',
    '<<E\n',
    'a\\\n',
    'time ',
    '"${x:-"',
    'for i in a;do ',
    'a <<E\n\nE\n',
    '>a ',
    'case x in a) ',
    '$x',
    '"$x"',
    '\\a',
  ];
  const slow = pieces.filter((piece) => {
    const text = piece.repeat(Math.floor(65_536 / piece.length));
    const begin = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(begin);
    return user + system > 2_000_000;
  });
  expect(slow).toEqual([]);
});

it('20,000 nested substitutions are opaque', () => {
  expect(read('$('.repeat(20_000)).opaque).not.toEqual([]);
  expect(read('$('.repeat(20_000) + ')'.repeat(20_000)).opaque).not.toEqual([]);
  expect(read('('.repeat(20_000) + 'a' + ')'.repeat(20_000)).opaque).not.toEqual([]);
});

it('two lines with a separator between them are read as the first line and then the second', () => {
  fc.assert(
    fc.property(plainLine, plainLine, fc.constantFrom('; ', '\n', ' && ', ' || ', ' & '), (left, right, separator) => {
      expect(contents(read(left + separator + right))).toEqual([...contents(read(left)), ...contents(read(right))]);
    }),
    { numRuns: 2000 },
  );
});

it('an opaque text stays opaque before and after any other line', () => {
  // The text that follows may complete an unfinished text and make it understood.
  const isFinished = ({ reason }: { readonly reason: string }) => !/not valid|without its end|backslash/.test(reason);
  const opaque = fc.constantFrom(
    ...corpus.filter((text) => read(text).opaque.some(isFinished) && read(text).opaque.every(isFinished)),
  );
  fc.assert(
    fc.property(
      plainLine,
      opaque,
      fc.constantFrom('; ', '\n'),
      fc.boolean(),
      (line, opaqueText, separator, isFirst) => {
        const text = isFirst ? opaqueText + separator + line : line + separator + opaqueText;
        expect(read(text).opaque).not.toEqual([]);
      },
    ),
    { numRuns: 1000 },
  );
});

it('adding a redirection to a line adds it to the result, and changes nothing else', () => {
  const simple = plainLine.filter((text) => read(text).commands.length === 1 && /^[\w./-]+( [\w./-]+)*$/.test(text));
  fc.assert(
    fc.property(
      simple,
      fc.constantFrom('>', '>>', '2>', '<', '2>>', '&>', '>|', '<>'),
      fc.boolean(),
      (text, operator, isSpaced) => {
        const [before] = read(text).commands;
        const [after, ...others] = read(`${text} ${operator}${isSpaced ? ' ' : ''}zz`).commands;
        expect(others).toEqual([]);
        expect(after?.words).toEqual(before?.words);
        expect(after?.redirections.slice(0, -1)).toEqual(before?.redirections);
        expect(after?.redirections.at(-1)).toMatchObject({
          operator: operator.replace(/^\d/, ''),
          descriptor: operator.startsWith('2') ? 2 : null,
          target: { kind: 'literal', value: 'zz' },
        });
      },
    ),
  );
});

/** The ways to write a character in bash. Null means that the character cannot be written in this way. */
const WAYS: readonly ((character: string) => string | null)[] = [
  (c) => (/[\w./%+-]/.test(c) ? c : null),
  (c) => (c === '\n' ? null : `\\${c}`),
  (c) => (c === "'" ? null : `'${c}'`),
  (c) => `"${/["\\$`]/.test(c) ? `\\${c}` : c}"`,
  (c) => `$'${c === '\n' ? '\\n' : /['\\]/.test(c) ? `\\${c}` : c}'`,
  (c) => (c.charCodeAt(0) < 0x7f ? `$'\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}'` : null),
  (c) => (c.charCodeAt(0) < 0x7f ? `$'\\${c.charCodeAt(0).toString(8).padStart(3, '0')}'` : null),
];

it('a word has the value that bash gives it, for any quoting', () => {
  const character = fc.constantFrom(...'abz019 \t\n\'"\\$`!*?[]{}()<>|&;#~=,^%-./äβ€漢');
  const ways = fc.array(fc.tuple(character, fc.nat(WAYS.length - 1)), { minLength: 1, maxLength: 10 });
  const words = fc.sample(ways, 600).map((pairs) => ({
    value: pairs.map(([c]) => c).join(''),
    text: pairs.map(([c, way]) => WAYS[way]?.(c) ?? `"${/["\\$`]/.test(c) ? `\\${c}` : c}"`).join(''),
  }));
  for (const { value, text } of words) {
    const { commands, opaque } = read(`printf ${text}`);
    expect({ text, opaque, value: commands[0]?.words[1] }).toMatchObject({
      text,
      opaque: [],
      value: { kind: 'literal', value },
    });
  }
  const script = words.map(({ text }) => `printf '%s\\0' ${text}`).join('\n');
  const bash = spawnSync(process.env['APE_TEST_BASH'] ?? '/bin/bash', ['--norc'], {
    input: script,
    env: { LC_ALL: 'C.UTF-8' },
  });
  expect(bash.stdout.toString('utf8').split('\0').slice(0, -1)).toEqual(words.map(({ value }) => value));
});
