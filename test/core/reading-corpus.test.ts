/** Each line of the corpus is read as the corpus says. */
import { parse } from 'unbash';
import { describe, expect, it } from 'vitest';
import { parseText } from '../../src/core/reading/parse-text.ts';
import { readCorpus, written } from '../corpus/corpus.ts';

const corpus = readCorpus();
const files = [...new Set(corpus.map(({ file }) => file))];
const byFile = files.map((file) => [file, corpus.filter((line) => line.file === file)] as const);

describe.each(byFile)('each line of the corpus file %s', (_, lines) => {
  it.each(lines.map((line) => [JSON.stringify(line.text).slice(0, 100), line] as const))(
    '%s is read as written',
    (_text, line) => {
      const { commands, opaque } = parseText(line.text, parse);
      expect(commands.map(written)).toEqual(line.reads);
      expect([...new Set(opaque.map(({ reason }) => reason))]).toEqual(line.opaque);
    },
  );
});

it('the corpus has at least 600 different lines, 150 of them daily and 100 of them opaque', () => {
  const count = (is: string) => corpus.filter((line) => line.class === is).length;
  expect(corpus.length).toBeGreaterThanOrEqual(600);
  expect(count('coverable')).toBeGreaterThanOrEqual(150);
  expect(count('opaque')).toBeGreaterThanOrEqual(100);
  expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length);
});

it('no daily line is opaque by its syntax', () => {
  const daily = corpus.filter((line) => line.class === 'coverable');
  expect(daily.filter(({ text }) => parseText(text, parse).opaque.length > 0).map(({ text }) => text)).toEqual([]);
});

it('a line that a TOML file cannot contain is opaque too: half a character, a NUL, one character more than 64 Ki', () => {
  const lines = ['echo \ud800', 'echo \udc00x', 'ls\0', `echo ${'a'.repeat(65_536)}`];
  expect(lines.filter((line) => parseText(line, parse).opaque.length === 0)).toEqual([]);
});
