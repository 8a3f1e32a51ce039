/** Compares our parser with bash itself. The long run is scripts/fuzz/reading.mjs. */
import { fileURLToPath } from 'node:url';
import { parse } from 'unbash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isBuiltinName } from '../../src/core/reading/builtins.ts';
import { parseText } from '../../src/core/reading/parse-text.ts';
import { literalWords, type SimpleCommand } from '../../src/core/reading/reading.ts';
import { readCorpus } from '../corpus/corpus.ts';
import { isExpansion, understood, unpredicted } from './compare.ts';
import { compareAll, programsOf, randomLines } from './differential.ts';
import { withCanary } from './mutation.ts';
import { nestedQuotes } from './nested-quotes.ts';
import { seeded } from './random.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';

const texts = readCorpus().map(({ text }) => text);
const programs = programsOf(texts);
let sandbox: Sandbox;
/** Lines that name paths run only in a contained sandbox, where bash sees no file of this machine. */
let corpus: readonly string[];

beforeAll(() => {
  sandbox = makeSandbox(fileURLToPath(new URL('sandbox', import.meta.url)), programs);
  corpus = sandbox.isContained ? texts : texts.filter((text) => !/[/~.]/.test(text));
});
afterAll(() => sandbox.remove());

it('the sandbox shows what starts, with its arguments, and what appears', () => {
  const [first, second] = sandbox.run(['p "a b" $(q) > o1', "cd ..; eval 'x=1; r $x'"]);
  expect(first).toEqual({ started: [['q'], ['p', 'a b', 'out', 'put']], files: ['o1'], end: 'exit 0' });
  expect(second?.started).toEqual([['r', '1']]);
});

it('a program, an argument or a file that was not read is a fault', () => {
  const faults = (line: string, really: string) => {
    const [happening] = sandbox.run([really]);
    return happening === undefined ? null : unpredicted(parseText(line, parse).commands, happening).length;
  };
  expect(faults('p a', 'p a')).toBe(0);
  expect(faults('p a', 'p a; q')).toBe(1);
  expect(faults('p a', 'p a b')).toBe(1);
  expect(faults('p a', 'p a; p a')).toBe(1);
  expect(faults('for i in 1 2; do p a; done', 'p a; p a')).toBe(0);
  expect(faults('p "$x"', 'p a b')).toBe(1);
  expect(faults('p $x', 'p a b')).toBe(0);
  expect(faults('p pre"$x"', 'p other')).toBe(1);
  expect(faults('p', 'p > o1')).toBe(1);
  expect(faults('p > o1', 'p >> o1')).toBe(0);
});

it('1,500 random lines start nothing that was not read', () => {
  const tally = compareAll(randomLines(20_261_122, 1500, sandbox.isContained ? corpus : []), sandbox);
  expect(tally.faults).toEqual([]);
  expect(tally.compared).toBeGreaterThan(200);
  expect(tally.started).toBeGreaterThan(300);
});

it('a text in quotes within substitutions starts nothing, however they are nested', () => {
  const tally = compareAll(
    nestedQuotes((at) => at % 7 === 3),
    sandbox,
  );
  expect(tally.faults).toEqual([]);
  expect(tally.compared).toBeGreaterThan(300);
});

it('no line of the corpus starts anything that was not read', () => {
  const tally = compareAll(corpus, sandbox);
  expect(tally.faults).toEqual([]);
  expect(tally.started).toBeGreaterThan(sandbox.isContained ? 500 : 100);
});

it('every program that was read in a line without conditions starts', () => {
  const lines = corpus.filter((line) => {
    const reading = parseText(line, parse);
    return understood(reading, parse) !== null && reading.commands.every(isUnconditional) && !/\|\||\[\[/.test(line);
  });
  const happenings = sandbox.run(lines);
  const missing = lines.flatMap((line, index) =>
    parseText(line, parse)
      .commands.filter(({ words }) => programs.includes(literalWords(words)?.[0] ?? ''))
      .filter(({ words }) => !happenings[index]?.started.some((argv) => isExpansion(words, argv)))
      .map(({ source }) => `${line}: ${source}`),
  );
  expect(lines.length).toBeGreaterThan(sandbox.isContained ? 400 : 50);
  expect(missing).toEqual([]);
});

it('a canary anywhere in a line is read if bash runs it there', () => {
  const random = seeded(7);
  const lines = corpus.filter((line) => parseText(line, parse).opaque.length === 0).flatMap(withCanary);
  const sample = Array.from({ length: 1000 }, () => random.pick(lines));
  const tally = compareAll(sample, sandbox);
  expect(tally.faults).toEqual([]);
  expect(tally.compared).toBeGreaterThan(300);
});

/** Whether the command starts a program for certain: a builtin starts none, and a redirection from a missing file prevents the start. */
function isUnconditional({ words, within, redirections, assignments }: SimpleCommand): boolean {
  const name = literalWords(words)?.[0] ?? '';
  return (
    !isBuiltinName(name) &&
    redirections.length + assignments.length === 0 &&
    within.every((each) => each === 'list' || each === 'pipeline' || each === 'group' || each === 'subshell')
  );
}
