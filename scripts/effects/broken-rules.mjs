/**
 * Breaks rules on purpose (test/effects/mutations.ts). The test of effects must find each broken rule by the effects of calls that the
 * rule covers. Some broken rules are harmless, because another mechanism refuses their calls; those must cover no call wrongly.
 *
 *   node scripts/effects/broken-rules.mjs      … --seed S      … --only TEXT   only rules whose name contains TEXT
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../message-of.mjs';
import { loadTestSources } from '../test-sources.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, only: { type: 'string', default: '' } },
});
const names = ['stage', 'tracer', 'rules', 'judge-calls', 'base', 'mutations', 'broken-rules'];
const {
  makeStage,
  compileTracer,
  startTracer,
  readTables,
  bookOf,
  makeJudge,
  baseOf,
  MUTATIONS,
  mutationName,
  tryMutation,
} = await loadTestSources(names.map((name) => `export * from '../effects/${name}.ts';`).join('\n'));

const stage = makeStage();
const tracer = startTracer(stage, compileTracer(stage, root));
const tables = readTables(root);
const setting = {
  stage,
  tracer,
  base: baseOf(stage),
  tables,
  judge: makeJudge(stage, bookOf(tables)),
  optionsInHelp: () => [],
  seed: Number(values.seed),
};
let [missed, harmful, closed] = [0, 0, 0];
const chosen = MUTATIONS.filter((mutation) => mutationName(mutation).includes(values.only));
for (const mutation of chosen) {
  const begin = Date.now();
  let outcome;
  try {
    const { found, judged, harm, held } = await tryMutation(mutation, setting);
    const [first] = found;
    const isClosed = mutation.closed !== undefined;
    if (isClosed === (first !== undefined) || judged === 0) missed++;
    else if (isClosed) closed++;
    outcome =
      first === undefined
        ? `${isClosed ? `harmless (${mutation.closed})` : 'NOT FOUND'} in ${judged} calls`
        : `${first.covered.line} => ${first.accesses[0]}; held ${held}${harm.length === 0 ? '' : `, HARM ${harm[0]}`}`;
    if (harm.length > 0) harmful++;
  } catch (error) {
    missed++;
    outcome = `BROKEN ${messageOf(error)}`;
  }
  console.log(`${mutationName(mutation)}: ${outcome.replaceAll(stage.tree, '@STAGE')} (${Date.now() - begin} ms)`);
}
console.log(
  `${chosen.length - missed - closed} of ${chosen.length - closed} found; ${closed} are harmless as the readings are now; ${harmful} did harm though the kernel held them`,
);
await tracer.stop();
stage.remove();
process.exit(missed + harmful === 0 ? 0 : 1);
