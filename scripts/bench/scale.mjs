/**
 * What a team's server holds: covered uses a second, ten thousand waiters on each of two servers, and calls and pages in front
 * of a million grants. Every figure is taken over HTTP from servers as users start them.
 *
 *   node scripts/bench/scale.mjs --postgres postgres://USER@HOST/NAME
 *   … --only uses,history,waiters
 *   … --uses N      covered uses per run (10000)
 *   … --rounds N    runs of each contestant, in turns (5)
 *   … --grants N    in the history (1000000)
 *   … --waiters N   on each server (10000)
 *
 * The PostgreSQL database is for this alone: it is emptied (its schema public is dropped) for every server. Without it only
 * SQLite is measured. Needs pgbench; Linux.
 */
import os from 'node:os';
import { parseArgs } from 'node:util';
import { benchUses } from './covered-uses.mjs';
import { benchHistory } from './long-history.mjs';
import { printTable } from './table.mjs';
import { benchWaiters } from './waiters.mjs';

delete process.env.NODE_EXTRA_CA_CERTS;

const SECTIONS = { uses: benchUses, history: benchHistory, waiters: benchWaiters };

const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    only: { type: 'string', default: Object.keys(SECTIONS).join(',') },
    uses: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    grants: { type: 'string', default: '1000000' },
    waiters: { type: 'string', default: '10000' },
  },
});
const names = values.only.split(',');
const unknown = names.find((name) => !(name in SECTIONS));
const counts = {
  uses: Number(values.uses),
  rounds: Number(values.rounds),
  grants: Number(values.grants),
  waiters: Number(values.waiters),
};
const bad = Object.keys(counts).find((name) => !(Number.isInteger(counts[name]) && counts[name] > 0));
if (unknown !== undefined || bad !== undefined) {
  console.error(
    unknown !== undefined
      ? `scale: no section ${unknown}; there are ${Object.keys(SECTIONS).join(', ')}`
      : `scale: --${bad} wants a whole number above 0`,
  );
  process.exit(64);
}

console.log(
  `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()} ${os.release()}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}`,
);
let failures = 0;
for (const name of names)
  try {
    await SECTIONS[name]({ ...counts, postgres: values.postgres ?? null });
  } catch (error) {
    failures++;
    console.error(`\nscale: ${name}: ${error.message}`);
  }
printTable();
process.exit(failures === 0 ? 0 : 1);
