/** Measures how long it takes to read a line: parsing, unwrapping and the effects of builtins, for the daily lines of the corpus. */
import { loadTestSources } from '../test-sources.mjs';
import { now, percentile } from './measure.mjs';
import { row, us } from './table.mjs';

const ROUNDS = 40;
const AIM = { p50: 0.15, p99: 1 };

export async function benchReading() {
  const { readCorpus, parseText, understood, parse } = await load();
  const lines = readCorpus().filter((line) => line.class === 'coverable');
  const stages = {
    'reading a daily line': (text) => parseText(text, parse),
    'reading, unwrapping, builtins': (text) => understood(parseText(text, parse), parse),
  };
  for (const [what, stage] of Object.entries(stages)) {
    const samples = [];
    for (let round = -ROUNDS / 2; round < ROUNDS; round++)
      for (const { text } of lines) {
        const begin = now();
        stage(text);
        const took = now() - begin;
        if (round >= 0) samples.push(took);
      }
    const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
    const isReached = p50 <= AIM.p50 && p99 <= AIM.p99;
    row(`${what}, p50`, us(p50), `p99 ${us(p99)}, ${lines.length} lines`, [isReached, 'p50 150 µs, p99 1 ms']);
  }
}

/** The parser as the tests load it, because no bundle of ours has only the parser. */
const load = () =>
  loadTestSources(`export * from '../corpus/corpus.ts'; export * from './compare.ts';
    export { parseText } from '../../src/core/reading/parse-text.ts'; export { parse } from 'unbash';`);
