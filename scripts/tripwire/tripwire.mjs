/**
 * `npm run tripwire`: real agents, of exact versions from the npm registry, driven headless against a model on loopback
 * that wants to run one command; with a real gate, a real server and an approver with an owner key. Tells for each agent
 * whether the command ran when it should, and above all whether it did not when it should not.
 *
 * Not part of `npm test`: the agents are 2 GB. One of them is (test/harness).
 *
 *   --agents DIR   where agents are kept, or installed into (default: ape-shell-tripwire in the user's cache directory)
 *   --only A,B     these harnesses     --case A,B  these cases     --json  one JSON object in place of the table
 *
 * Exit: 0 when every case is ok, 1 when one failed or an agent cannot be had, 64 for misuse. TRIPWIRE_VERBOSE=1: more.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bringAgent, DEFAULT_AGENTS, NODE_24 } from './agents.mjs';
import { CASES } from './cases.mjs';
import { HARNESSES } from './harnesses.mjs';
import { Installation } from './installation.mjs';
import { runCase } from './run-case.mjs';
import { printTable } from './table.mjs';

const say = (text) => console.error(`tripwire: ${text}`);

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        agents: { type: 'string' },
        only: { type: 'string' },
        case: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    const choose = (list, names) => {
      const wanted = names?.split(',');
      const unknown = wanted?.find((name) => !list.some((each) => each.name === name));
      if (unknown !== undefined)
        throw new Error(`there is no ${unknown}; known: ${list.map(({ name }) => name).join(', ')}`);
      return wanted === undefined ? list : list.filter(({ name }) => wanted.includes(name));
    };
    return {
      agents: resolve(values.agents ?? DEFAULT_AGENTS),
      mayDiffer: values.agents !== undefined,
      harnesses: choose(HARNESSES, values.only),
      cases: choose(CASES, values.case),
      isJson: values.json === true,
    };
  } catch (error) {
    say(error.message);
    return null;
  }
}

/** @returns {name, gate, version, results: {case: {fault, seconds}}, unexpected: [text]} */
async function tryHarness(harness, { agents, mayDiffer, cases }) {
  const row = { name: harness.name, gate: harness.gate, version: harness.version, results: {}, unexpected: [] };
  let installation;
  try {
    const agent = await bringAgent(agents, harness, mayDiffer);
    row.version = agent.version;
    if (!agent.isPinned) say(`${harness.name}: ${agent.version} lies there, ${harness.version} is pinned`);
    const node24 = harness.needsNode24
      ? join((await bringAgent(agents, NODE_24, mayDiffer)).directory, 'node_modules/node/bin/node')
      : undefined;
    const directory = mkdtempSync(join(tmpdir(), 'ape-tripwire-'));
    installation = await new Installation(directory).open();
    for (const tried of cases) {
      const why = harness.whyNot ?? harness.notApplicable?.[tried.name];
      const result = why ? { why, fault: null } : await runCase(harness, tried, { installation, agent, node24 });
      row.results[tried.name] = result;
      say(`${harness.name} ${tried.name}: ${result.fault ?? (result.why ? `n.a. (${result.why})` : 'ok')}`);
    }
    row.unexpected = unexpected(installation.journal(), harness.name);
  } catch (error) {
    say(`${harness.name}: ${error.message}`);
    for (const { name } of cases) row.results[name] ??= { fault: error.message };
  } finally {
    await installation?.close();
  }
  return row;
}

/** What reached the gate and is none of our commands: probes and snapshots of the harness itself. */
function unexpected(journal, name) {
  const ours = (text) => text.includes(`ran-${name}-`) || / grants run g_/.test(text);
  const asked = journal.filter(({ event }) => ['asked', 'permitted', 'refused'].includes(event));
  return asked.map(({ text }) => text ?? '').filter((text) => !ours(text));
}

const options = readOptions();
if (options === null) process.exit(64);
const rows = [];
for (const harness of options.harnesses) rows.push(await tryHarness(harness, options));
if (options.isJson) console.log(JSON.stringify(rows, null, 2));
else printTable(rows, options.cases);
const isBad = rows.some(({ results }) => Object.values(results).some(({ fault }) => fault !== null));
process.exit(isBad ? 1 : 0);
