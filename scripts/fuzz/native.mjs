/**
 * The long run of the fuzzers of our C programs (test/fuzz/native/): each target in turn, with the sanitizers of gcc.
 *
 *   node scripts/fuzz/native.mjs                      2,000,000 inputs a target, with a seed from the clock
 *   node scripts/fuzz/native.mjs --runs N --seed S    the same seed gives the same inputs
 *   … --target NAME                                   only this target
 *
 * Prints every fault with its input; status 1 after a fault.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadTestSources } from '../test-sources.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    target: { type: 'string' },
  },
});

const { buildFuzzer, runFuzzer, targets } = await loadTestSources("export * from './native-fuzzers.ts';");
const scratch = mkdtempSync(path.join(tmpdir(), 'ape-fuzz-'));
let faults = 0;
for (const target of targets().filter(
  (/** @type {string} */ name) => values.target === undefined || name === values.target,
)) {
  const program = buildFuzzer(target, scratch);
  const startedAtMs = performance.now();
  const { fault, edges } = runFuzzer(program, target, Number(values.seed), Number(values.runs));
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(
    `${target}: ${values.runs} inputs of seed ${values.seed}, ${edges} edges, ${seconds} s: ${fault ?? 'no fault'}`,
  );
  if (fault !== null) faults++;
}
rmSync(scratch, { recursive: true });
process.exit(faults > 0 ? 1 : 0);
