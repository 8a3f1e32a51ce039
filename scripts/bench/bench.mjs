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
import os from 'node:os';
import { parseArgs } from 'node:util';
import { benchApproval } from './approval.mjs';
import { benchConfinement } from './confinement.mjs';
import { benchCoverage } from './coverage.mjs';
import { benchInteractive } from './interactive.mjs';
import { benchOneShot } from './one-shot.mjs';
import { benchReading } from './reading.mjs';
import { benchSend } from './send.mjs';
import { benchServer } from './server.mjs';
import { benchSessions } from './sessions.mjs';
import { printTable } from './table.mjs';

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
const names = values.only.split(',');
const unknown = names.find((name) => !(name in SECTIONS));
const counts = { runs: Number(values.runs), mb: Number(values.mb), requests: Number(values.requests) };
const bad = Object.keys(counts).find((name) => !(Number.isInteger(counts[name]) && counts[name] > 0));
if (unknown !== undefined || bad !== undefined) {
  console.error(
    unknown !== undefined
      ? `bench: no section ${unknown}; there are ${Object.keys(SECTIONS).join(', ')}`
      : `bench: --${bad} wants a whole number above 0`,
  );
  process.exit(64);
}

const load = os.loadavg()[0];
console.log(
  `${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}), ${os.type()} ${os.release()}, Node ${process.version}, load ${load.toFixed(1)}`,
);
let failures = 0;
for (const name of names)
  try {
    await SECTIONS[name]({ ...counts, agents: values.agents, only: values.harness });
  } catch (error) {
    failures++;
    console.error(`\nbench: ${name}: ${error.message}`);
  }
printTable();
process.exit(failures === 0 ? 0 : 1);
