/**
 * Counts how often an approver is asked in a recorded trace of one day of an agent: with grants for exact bytes, with scopes, with plans,
 * and with scopes and plans.
 *
 *   node scripts/replay.mjs            prints the table; needs a build
 *   node scripts/replay.mjs --asked    also prints, for each trace, the lines that are asked for with scopes and plans
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadTestSources } from './test-sources.mjs';

const { values } = parseArgs({ options: { asked: { type: 'boolean', default: false } } });
const { linesOf, loadRules, readTrace, replayExact, replayPlans, replayScopes, TRACES } = await loadTestSources(
  ['../replay/replay', '../replay/replay-plans', '../../src/platform/rule-files']
    .map((name) => `export * from '${name}.ts';`)
    .join('\n'),
);
const rules = await loadRules(fileURLToPath(new URL('../dist', import.meta.url)), '/nowhere/config.toml');
if (!rules.ok) throw new Error(rules.failure.message);

console.log('| trace | lines | exact bytes | scopes | plans | both |\n|---|---|---|---|---|---|');
for (const name of TRACES) {
  const trace = readTrace(name);
  const lines = linesOf(trace).filter((/** @type {{ kind: string }} */ { kind }) => kind !== 'foreign');
  const plans = replayPlans(trace, rules.value, 'exact');
  const both = replayPlans(trace, rules.value, 'scopes');
  const prompts = [
    replayExact(linesOf(trace)).asked.length,
    replayScopes(linesOf(trace), rules.value).asked.length,
    ...[plans, both].map((outcome) => `${outcome.asked.length + outcome.plans} (${outcome.plans} for plans)`),
  ];
  console.log(`| ${[name, lines.length, ...prompts].join(' | ')} |`);
  for (const text of [...plans.unsafe, ...both.unsafe]) console.log(`UNSAFE: ${text}`);
  if (values.asked) console.log(both.asked.map((/** @type {string} */ text) => `    ${text}`).join('\n'));
}
