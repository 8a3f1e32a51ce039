/**
 * Measures how fast the built programs are when a user calls them, and prints one table.
 *
 *   npm run bench                          all sections, a few minutes
 *   node scripts/bench/bench.mjs --only one-shot,server
 *   … --runs N   samples for start-ups, approvals and lines (60)
 *   … --mb N     megabytes through the interactive shell (100)
 *   … --requests N   for the server (2000)
 *   … --agents DIR   also sends messages into the real agents that `scripts/tripwire` has installed in DIR
 *   … --harness A,B   messages into these agents only
 *
 * Every section makes a temporary installation (APES_HOME in the temporary directory, `apes up --port 0`, an owner key),
 * approves what it needs and removes the installation. Compared programs run in turns (A, B, A, B …), so that other load of the
 * machine slows all of them; so the ratios are more reliable than the milliseconds. NODE_EXTRA_CA_CERTS is removed from the
 * environment, because it makes each start of Node 20 about 29 ms longer.
 */
import { parseArgs } from 'node:util';
import { benchApproval } from './approval.mjs';
import { benchConfinement } from './confinement.mjs';
import { benchCoverage } from './coverage.mjs';
import { benchFirstCard } from './first-card.mjs';
import { benchInteractive } from './interactive.mjs';
import { benchOneShot } from './one-shot.mjs';
import { benchReading } from './reading.mjs';
import { runSections } from './run-sections.mjs';
import { benchSend } from './send.mjs';
import { benchServer } from './server.mjs';
import { benchSessions } from './sessions.mjs';

delete process.env.NODE_EXTRA_CA_CERTS;

const SECTIONS = {
  'one-shot': benchOneShot,
  confinement: benchConfinement,
  approval: benchApproval,
  interactive: benchInteractive,
  sessions: benchSessions,
  send: benchSend,
  server: benchServer,
  reading: benchReading,
  coverage: benchCoverage,
  'first-card': benchFirstCard,
};

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(SECTIONS).join(',') },
    runs: { type: 'string', default: '60' },
    mb: { type: 'string', default: '100' },
    requests: { type: 'string', default: '2000' },
    agents: { type: 'string' },
    harness: { type: 'string' },
  },
});
const { only, agents, harness, ...numbers } = values;
await runSections('bench', SECTIONS, { only, numbers, others: { agents, harnesses: harness } });
