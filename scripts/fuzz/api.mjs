/**
 * The long run of the API's fuzzer: calls every route, as the OpenAPI document describes it, on a server of its own.
 *
 *   node scripts/fuzz/api.mjs                          10 minutes on SQLite, with a seed from the clock
 *   node scripts/fuzz/api.mjs --seconds N --seed S     N seconds; the same seed gives the same calls, except for ids and times
 *   … --database postgresql                            on a throw-away PostgreSQL
 *
 * Prints every fault with its call; status 1 after a fault. It is one process that keeps a processor busy: start it with `nice`.
 */
import { parseArgs } from 'node:util';
import { loadTestSources } from '../test-sources.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    database: { type: 'string', default: 'sqlite' },
  },
});

const { ApiFuzzer, TestServer, seeded, startPostgres } = await loadTestSources(
  ['./api-fuzzer', './random', '../component/server-fixture', '../contract/postgres']
    .map((name) => `export * from '${name}.ts';`)
    .join('\n'),
);
const postgres = values.database === 'postgresql' ? await startPostgres() : null;
const server = await TestServer.start(postgres === null ? {} : { database: await postgres.newDatabase() });
const fuzzer = await ApiFuzzer.start(server, seeded(Number(values.seed)));
const endMs = performance.now() + Number(values.seconds) * 1000;
let reported = 0;
while (performance.now() < endMs) {
  await fuzzer.round();
  for (const fault of fuzzer.tally.faults.slice(reported)) console.log(fault);
  reported = fuzzer.tally.faults.length;
}
const { calls, byStatus, busy, good } = fuzzer.tally;
const routes = `${Object.keys(good).length} of ${fuzzer.routes.length} routes with a good answer`;
console.log(
  `${values.database}: ${calls} calls in ${values.seconds} s of seed ${values.seed}, ${routes}, ${JSON.stringify(byStatus)}, busy ${busy}: ${reported} faults`,
);
await server.stop();
await postgres?.stop();
process.exit(reported > 0 ? 1 : 0);
