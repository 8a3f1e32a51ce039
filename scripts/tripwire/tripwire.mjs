/**
 * `npm run tripwire`: installs agents in exact versions from the npm registry, and runs `apes hooks certify` with them. Then it
 * sends messages into each of them, in a session of its own. (The second part is not in the package.)
 *
 * It is not part of `npm test`, because the agents have 2 GB. `npm test` tries one of them (test/harness).
 *
 *   --agents DIR   the directory of the agents (default: ape-shell-tripwire in the user's cache directory)
 *   --only A,B     only these harnesses
 *   --case A,B     only these cases
 *   --case send    only the messages; their table comes after the table of the cases
 *   --json         prints JSON in place of the tables, one object on each line
 *   --report FILE  writes a signed report of the cases, as `apes hooks certify` does
 *
 * Exit: 0 if every case is ok, 1 if one failed or an agent cannot be installed, 64 for misuse.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AGENTS } from '../../src/certify/harnesses.mjs';
import { DIST, TrialInstallation } from '../../src/certify/installation.mjs';
import { messageOf } from '../message-of.mjs';
import { bringAgent, DEFAULT_AGENTS, installedVersion, NODE_24 } from './agents.mjs';
import { SEND_CASES, SEND_NOT_APPLICABLE, trySends } from './send.mjs';
import { printTable } from './table.mjs';

const APES = join(DIST, 'bin/apes');
const say = (text) => console.error(`tripwire: ${text}`);

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        agents: { type: 'string' },
        only: { type: 'string' },
        case: { type: 'string' },
        report: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
    const only = values.only?.split(',');
    const unknown = only?.find((name) => !AGENTS.some((each) => each.name === name));
    if (unknown !== undefined)
      throw new Error(`there is no ${unknown}; known: ${AGENTS.map(({ name }) => name).join(', ')}`);
    const cases = values.case?.split(',');
    return {
      agents: resolve(values.agents ?? DEFAULT_AGENTS),
      mayDiffer: values.agents !== undefined,
      harnesses: only === undefined ? AGENTS : AGENTS.filter(({ name }) => only.includes(name)),
      cases: cases?.filter((name) => name !== 'send') ?? null,
      hasSends: cases === undefined || cases.includes('send'),
      report: values.report,
      isJson: values.json === true,
    };
  } catch (error) {
    say(messageOf(error));
    return null;
  }
}

const bringNode = async (agents, mayDiffer) =>
  join((await bringAgent(agents, NODE_24, mayDiffer)).directory, 'node_modules/node/bin/node');

/** Installs each harness, with the Node that it needs. Returns whether all are installed. */
async function bringAgents({ agents, mayDiffer, harnesses }) {
  let isWhole = true;
  for (const harness of harnesses)
    try {
      const node = harness.needsNode24 ? await bringNode(agents, mayDiffer) : undefined;
      const agent = await bringAgent(agents, harness, mayDiffer, node);
      if (!agent.isPinned)
        say(`${harness.name}: version ${agent.version} is installed, and ${harness.version} is pinned`);
    } catch (error) {
      say(`${harness.name}: ${messageOf(error)}`);
      isWhole = false;
    }
  return isWhole;
}

/** Runs the cases of `apes hooks certify`. Returns whether all of them are ok. */
function certifyAgents({ agents, harnesses, cases, report, isJson }) {
  const words = ['hooks', 'certify', ...harnesses.map(({ name }) => name), '--agents', agents];
  if (cases !== null) words.push('--case', cases.join(','));
  if (report !== undefined) words.push('--report', report);
  if (isJson) words.push('--json');
  const { status } = spawnSync(APES, words, { stdio: 'inherit' });
  if (status === 64) process.exit(64);
  return status === 0;
}

/**
 * @typedef {{ fault: string | null, why?: string, note?: string | null, seconds?: number }} Tried
 * @typedef {{ name: string, gate: string, version: string, results: Record<string, Tried>, unexpected: string[] }} Row
 */

/** @returns {Promise<Row>} */
async function tryMessages(harness, { agents, mayDiffer }) {
  /** @type {Row} */
  const row = { name: harness.name, gate: '-', version: harness.version, results: {}, unexpected: [] };
  row.version = installedVersion(agents, harness) ?? harness.version;
  const isVariant = /-(managed|gateway)$/.test(harness.name);
  const why = isVariant ? 'messages do not depend on it' : SEND_NOT_APPLICABLE[harness.name];
  if (why !== undefined) {
    for (const { name } of SEND_CASES) row.results[name] = { why, fault: null };
    return row;
  }
  let installation;
  try {
    const node24 = harness.needsNode24 ? await bringNode(agents, mayDiffer) : undefined;
    const agent = await bringAgent(agents, harness, mayDiffer, node24);
    row.version = agent.version;
    installation = await new TrialInstallation(mkdtempSync(join(tmpdir(), 'ape-tripwire-'))).open();
    row.results = await trySends(harness, { installation, agent, node24 });
    for (const { name } of SEND_CASES) say(`${harness.name} ${name}: ${textOf(row.results[name])}`);
  } catch (error) {
    say(`${harness.name}: ${messageOf(error)}`);
    for (const { name } of SEND_CASES) row.results[name] ??= { fault: messageOf(error) };
  } finally {
    await installation?.close();
  }
  return row;
}

/** @type {(result: Tried) => string} */
const textOf = ({ fault, why, note }) => fault ?? (why ? `n.a. (${why})` : `ok${note ? ` (${note})` : ''}`);

const options = readOptions();
if (options === null) process.exit(64);
if (!existsSync(APES)) throw new Error('dist/ is missing: npm run build');
let isGood = await bringAgents(options);
if (options.cases === null || options.cases.length > 0) isGood = certifyAgents(options) && isGood;
if (options.hasSends) {
  /** @type {Row[]} */
  const rows = [];
  for (const harness of options.harnesses) rows.push(await tryMessages(harness, options));
  if (options.isJson) console.log(JSON.stringify(rows));
  else printTable(rows, SEND_CASES);
  isGood &&= rows.every(({ results }) => Object.values(results).every(({ fault }) => fault === null));
}
process.exit(isGood ? 0 : 1);
