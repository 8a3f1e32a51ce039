/**
 * Measures the load that a team's server can take: covered uses a second, ten thousand waiters on each of two servers, and calls
 * and pages with a million grants. Every figure is measured over HTTP, on servers that are started as users start them.
 *
 *   node scripts/bench/scale.mjs --postgres postgres://USER@HOST/NAME
 *   … --only uses,history,waiters
 *   … --clients N,N of covered uses and of pgbench, at the same time: each number is measured (16,64)
 *   … --seconds N   of each run of covered uses (5)
 *   … --rounds N    runs of each contestant, in turns (5)
 *   … --grants N    in the history (1000000)
 *   … --waiters N   on each server (10000)
 *
 * The PostgreSQL database must be for this bench only: its schema public is dropped for every server. Without `--postgres`, only SQLite
 * is measured. Needs Linux and wrk, and pgbench for PostgreSQL.
 */
import { parseArgs } from 'node:util';
import { benchUses } from './covered-uses.mjs';
import { benchHistory } from './long-history.mjs';
import { runSections } from './run-sections.mjs';
import { benchWaiters } from './waiters.mjs';

delete process.env.NODE_EXTRA_CA_CERTS;

const SECTIONS = { uses: benchUses, history: benchHistory, waiters: benchWaiters };

const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    only: { type: 'string', default: Object.keys(SECTIONS).join(',') },
    clients: { type: 'string', default: '16,64' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    grants: { type: 'string', default: '1000000' },
    waiters: { type: 'string', default: '10000' },
  },
});
const { only, postgres = null, clients, ...numbers } = values;
await runSections('scale', SECTIONS, { only, numbers, others: { postgres, clients } });
