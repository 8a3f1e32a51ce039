/**
 * Measures how long it takes to decide a line by standing grants: first only the search for the grants that cover one command, then all
 * steps from the text to the decision. The host facts were looked up before.
 */
import { loadTestSources } from '../test-sources.mjs';
import { median, now, percentile } from './measure.mjs';
import { row, us } from './table.mjs';

const GRANTS = 100_000;
const DECISION = { grants: 1_000, rules: 10_000 };
const ROUNDS = 21;

export async function benchCoverage() {
  const core = await load();
  const lines = core.LINES.filter((text) => text.length < 300);
  benchLookup(core, lines);
  benchDecision(core, lines);
}

/** Measures the search in an index with 1,000 requesters of about 100 grants each, and one requester with 10,000 more. */
function benchLookup(core, lines) {
  const index = new core.ScopeIndex();
  const busy = Math.floor(GRANTS / 10);
  for (let number = 0; number < GRANTS; number += 1)
    index.insert({
      grantId: `g_${number}`,
      requesterId: number < busy ? 'r_busy' : `r_${number % 1_000}`,
      scope: core.scopeOfNumber(number),
    });
  const required = lines.flatMap((text) => core.requiredPermissionsOf(text));
  const facts = core.factsIn();
  for (const [requesterId, whose] of [
    ['r_7', 'one of 1,000 requesters'],
    ['r_busy', 'a requester with 10,000 of them'],
  ]) {
    const samples = sampled(required, (one) => index.covering(requesterId, one, facts));
    const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
    row(`what covers a command, ${GRANTS.toLocaleString('en')} grants, p99`, us(p99), `p50 ${us(p50)}, ${whose}`, [
      p99 <= 0.01,
      '10 µs',
    ]);
  }
}

function benchDecision(core, lines) {
  const grants = new core.ScopeIndex();
  for (let number = 0; number < DECISION.grants; number += 1)
    grants.insert({ grantId: `g_${number}`, requesterId: 'r_1', scope: core.scopeOfNumber(number) });
  const rules = new core.DenyIndex();
  for (let number = 0; number < DECISION.rules; number += 1) rules.insert(core.ruleOfNumber(number));
  const decide = (text) => {
    const assessment = core.assessAnew(text);
    const denial = rules.firstDenial('r_1', core.denySubject({ text }, assessment));
    if (denial !== null || assessment.requiredPermissions === null) return denial;
    return grants.coverageOf('r_1', assessment.requiredPermissions, core.factsIn());
  };
  const stages = { 'deciding a line, reading and all': decide, '… of that, reading and assessing': core.assessAnew };
  for (const [what, stage] of Object.entries(stages)) {
    const samples = sampled(lines, stage);
    const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
    const counts = `${DECISION.grants.toLocaleString('en')} grants, ${DECISION.rules.toLocaleString('en')} rules`;
    row(`${what}, p50`, us(p50), `p99 ${us(p99)}, ${counts}`, [p50 <= 0.15 && p99 <= 1, 'p50 150 µs, p99 1 ms']);
  }
}

/**
 * Returns the median time of each element over the rounds, so that other load of the machine does not make a line look slow. As many
 * rounds before them are not counted.
 */
function sampled(each, run) {
  const samples = each.map(() => []);
  for (let round = -ROUNDS; round < ROUNDS; round += 1)
    each.forEach((one, at) => {
      const begin = now();
      run(one);
      const took = now() - begin;
      if (round >= 0) samples[at].push(took);
    });
  return samples.map(median);
}

const load = () =>
  loadTestSources(`export * from '../core/scope-fixture.ts'; export * from '../core/scope-bench.ts';
    export { LINES } from '../core/scope-arbitrary.ts';
    export { ScopeIndex } from '../../src/core/scope/scope-index.ts';
    export { DenyIndex } from '../../src/core/policy/deny-index.ts';
    export { denySubject } from '../../src/core/policy/deny-subject.ts';`);
