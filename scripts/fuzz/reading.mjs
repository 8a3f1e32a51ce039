/**
 * The long run of the differential test: our parser reads random lines, and bash runs these lines with harmless replacements of programs.
 *
 *   node scripts/fuzz/reading.mjs                        100,000 random lines, with a seed from the clock
 *   node scripts/fuzz/reading.mjs --lines N --seed S     N lines, rounded up to whole batches; the same seed gives the same lines
 *   … --seconds N   stops at the end of the first batch of 2,000 lines after N seconds
 *
 * The canary is `$(cnry)`: it shows whether bash starts a substitution that our parser did not read. These options replace the random
 * lines:
 *
 *   … --canary      every line of the corpus, with the canary at every position
 *   … --quotes      every line of test/fuzz/nested-quotes.ts: the canary in quotes in substitutions
 *   … --suite DIR   the texts of other shells' test suites in this directory. Debian has them: `apt-get source bash mksh
 *                   dash busybox` (tests of bash, check.t, ash_test) and golang-mvdan-sh-dev
 *
 * APE_TEST_BASH names another bash than /bin/bash. The script prints each fault at once. Status 1 after a fault; 77 if the lines name
 * paths and this system cannot contain the lines in a sandbox. It keeps one processor busy: start it with `nice`.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadTestSources } from '../test-sources.mjs';
import { textsOf } from './suite-texts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    seconds: { type: 'string', default: '0' },
    canary: { type: 'boolean', default: false },
    quotes: { type: 'boolean', default: false },
    suite: { type: 'string' },
  },
});

const load = () =>
  loadTestSources(
    ['differential', 'sandbox', 'mutation', 'nested-quotes', '../corpus/corpus']
      .map((name) => `export * from './${name}.ts';`)
      .join('\n'),
  );

const { compareAll, makeSandbox, nestedQuotes, programsOf, randomLines, readCorpus, withCanary } = await load();
/** @type {string[]} */
const corpus = readCorpus().map((/** @type {{ text: string }} */ { text }) => text);
const textsWithPrograms = values.suite === undefined ? corpus : [...corpus, ...textsOf(values.suite)];
const sandbox = makeSandbox(path.join(root, 'test/fuzz/sandbox'), programsOf(textsWithPrograms));
if (!sandbox.isContained && (values.canary || values.suite !== undefined)) {
  sandbox.remove();
  console.error(
    'fuzz: the lines of --canary and --suite name paths, and this system cannot contain them; run it as root, or allow user namespaces',
  );
  process.exit(77);
}
if (!sandbox.isContained)
  console.error(
    'fuzz: this system cannot contain the lines, so random lines come only from the grammar, which names no path',
  );
const total = { lines: 0, compared: 0, started: 0, faults: 0 };
const COUNTED = /** @type {const} */ (['lines', 'compared', 'started']);
const begin = Date.now();
const BATCH = 2000;

function linesInPlaceOfRandom() {
  if (values.quotes) return [...nestedQuotes(() => true)];
  return values.suite === undefined ? corpus.flatMap(withCanary) : textsOf(values.suite);
}

function* batches() {
  if (values.quotes || values.canary || values.suite !== undefined) {
    const all = linesInPlaceOfRandom();
    for (let at = 0; at < all.length; at += BATCH) yield all.slice(at, at + BATCH);
    return;
  }
  for (let batch = 0; batch * BATCH < Number(values.lines); batch++)
    yield randomLines(Number(values.seed) + batch, BATCH, sandbox.isContained ? corpus : []);
}

for (const lines of batches()) {
  const tally = compareAll(lines, sandbox);
  for (const fault of tally.faults) console.log(fault);
  for (const name of COUNTED) total[name] += tally[name];
  total.faults += tally.faults.length;
  const seconds = Math.round((Date.now() - begin) / 1000);
  process.stderr.write(`\r${JSON.stringify({ ...total, seconds, seed: values.seed })}`);
  if (Number(values.seconds) > 0 && seconds >= Number(values.seconds)) break;
}
process.stderr.write('\n');
sandbox.remove();
process.exit(total.faults === 0 ? 0 : 1);
