/**
 * How fast: one table, measured on the built programs as a user drives them.
 *
 *   npm run bench                          everything, a few minutes
 *   node scripts/bench/bench.mjs --only one-shot,server
 *   … --runs N   samples for start-ups, approvals and lines (60)
 *   … --mb N     megabytes through the interactive shell (100)
 *   … --requests N   for the server (2000)
 *   … --agents DIR   real agents, as the tripwire installs them: messages into each of them too
 *   … --harness A,B   messages into these of them only
 *
 * Every section builds a throw-away installation (APES_HOME in the temporary directory, `apes up --port 0`, an owner
 * key), approves what it needs and takes it down again. Contestants run in turns (A, B, A, B …), so that what else the
 * machine does hits all of them; trust the ratios, not the milliseconds. NODE_EXTRA_CA_CERTS is taken out of the
 * environment: it costs Node 20 about 29 ms at every start.
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
await runSections('bench', SECTIONS, { only, numbers, others: { agents, only: harness } });
