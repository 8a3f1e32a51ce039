/** The rules decide on each line of the corpus as the corpus says. */
import { expect, it } from 'vitest';
import { type CorpusLine, type LineClass, readCorpus } from '../corpus/corpus.ts';
import { decideLine } from '../corpus/decide.ts';

const corpus = readCorpus().map((line) => ({ ...line, decision: decideLine(line.text) }));
const of = (is: LineClass) => corpus.filter((line) => line.class === is);
const texts = (lines: readonly CorpusLine[]) => lines.map(({ text }) => text);

it('no dangerous line has low risk, so that no such line runs without a grant', () => {
  const allowed = of('dangerous').filter(({ decision }) => decision.kind === 'understood' && decision.risk === 'low');
  expect(texts(allowed)).toEqual([]);
});

it('every line of the class for exact approvals is opaque', () => {
  expect(texts(of('opaque').filter(({ decision }) => decision.kind !== 'opaque'))).toEqual([]);
});

it('at least 95 % of the daily lines are understood', () => {
  const daily = of('coverable');
  const missed = daily.filter(({ decision }) => decision.kind === 'opaque');
  // The lines come first, so that a failure shows them.
  expect(missed.length / daily.length > 0.05 ? texts(missed) : []).toEqual([]);
});

it('each published trick names its source', () => {
  const published = corpus.filter(({ source }) => source !== null);
  expect(published.length).toBeGreaterThanOrEqual(80);
  const ids = published.map(({ source }) => source).join(' ');
  for (const product of ['Claude Code', 'Codex', 'Cursor', 'openclaw', 'Gemini'])
    expect(ids).toMatch(new RegExp(product, 'i'));
  expect(new Set(ids.match(/CVE-\d+-\d+/g)).size).toBeGreaterThanOrEqual(12);
});
