/**
 * `npm run tripwire`: real agents, of exact versions from the npm registry, driven headless against a model on loopback
 * that wants to run one command; with a real gate, a real server and an approver with an owner key. Tells for each agent
 * whether the command ran when it should, and above all whether it did not when it should not.
 *
 * Not part of `npm test`: the agents are 2 GB. One of them is (test/harness).
 *
 *   --agents DIR   where agents are kept, or installed into (default: ape-shell-tripwire in the user's cache directory)
 *   --only A,B     these harnesses     --case A,B  these cases     --json  one JSON object in place of the table
 *   --case send    messages into each harness in a session of its own (a table of its own, after the others)
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
import { SEND_CASES, SEND_NOT_APPLICABLE, trySends } from './send.mjs';
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
    const own = [...new Map(HARNESSES.flatMap((each) => each.own ?? []).map((each) => [each.name, each])).values()];
    const names = values.case?.split(',').filter((name) => name !== 'send');
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
      cases: names?.length === 0 ? [] : choose([...CASES, ...own], names?.join(',')),
      hasSends: values.case === undefined || values.case.split(',').includes('send'),
      isJson: values.json === true,
    };
  } catch (error) {
    say(error.message);
    return null;
  }
}

/**
 * @typedef {{ fault: string | null, why?: string, note?: string | null, seconds?: number }} Tried
 * @typedef {{ name: string, gate: string, version: string, results: Record<string, Tried>, unexpected: string[] }} Row
 */

/** @returns {Promise<Row>} */
async function tryHarness(harness, options) {
  const { cases } = options;
  /** @type {Row} */
  const row = { name: harness.name, gate: harness.gate, version: harness.version, results: {}, unexpected: [] };
  await withAgent(harness, options, row, cases, async (context) => {
    for (const { name } of cases) {
      const tried = caseOf(harness, name);
      if (tried === undefined) continue;
      const why = harness.whyNot ?? harness.notApplicable?.[tried.name];
      const result = why ? { why, fault: null } : await runCase(harness, tried, context);
      row.results[name] = result;
      say(`${harness.name} ${name}: ${told(result)}`);
    }
    row.unexpected = unexpected(context.installation.journal(), harness.name);
  });
  return row;
}

/** The case of this name as it is for this harness: one of all harnesses, or one of its own; undefined where it has none. */
const caseOf = (harness, name) => [...CASES, ...(harness.own ?? [])].find((each) => each.name === name);

/** The same shape; the gate plays no part. */
async function tryMessages(harness, options) {
  /** @type {Row} */
  const row = { name: harness.name, gate: '-', version: harness.version, results: {}, unexpected: [] };
  const why = harness.name.endsWith('-managed') ? 'messages do not depend on it' : SEND_NOT_APPLICABLE[harness.name];
  if (why !== undefined) {
    for (const { name } of SEND_CASES) row.results[name] = { why, fault: null };
    return row;
  }
  await withAgent(harness, options, row, SEND_CASES, async (context) => {
    row.results = await trySends(harness, context);
    for (const { name } of SEND_CASES) say(`${harness.name} ${name}: ${told(row.results[name])}`);
  });
  return row;
}

/** @type {(result: Tried) => string} */
const told = ({ fault, why, note }) => fault ?? (why ? `n.a. (${why})` : `ok${note ? ` (${note})` : ''}`);

/** Brings the agent and an installation; whatever goes wrong is a fault of each case that is left. */
async function withAgent(harness, { agents, mayDiffer }, row, cases, work) {
  let installation;
  try {
    const agent = await bringAgent(agents, harness, mayDiffer);
    row.version = agent.version;
    if (!agent.isPinned) say(`${harness.name}: ${agent.version} lies there, ${harness.version} is pinned`);
    const node24 = harness.needsNode24
      ? join((await bringAgent(agents, NODE_24, mayDiffer)).directory, 'node_modules/node/bin/node')
      : undefined;
    installation = await new Installation(mkdtempSync(join(tmpdir(), 'ape-tripwire-'))).open();
    await work({ installation, agent, node24 });
  } catch (error) {
    say(`${harness.name}: ${error.message}`);
    for (const { name } of cases)
      if (caseOf(harness, name) ?? SEND_CASES.some((each) => each.name === name))
        row.results[name] ??= { fault: error.message };
  } finally {
    await installation?.close();
  }
}

/** What reached the gate and is none of our commands: probes and snapshots of the harness itself. */
function unexpected(journal, name) {
  const ours = (text) => text.includes(`ran-${name}-`) || / grants run g_/.test(text);
  const asked = journal.filter(({ event }) => ['asked', 'permitted', 'refused'].includes(event));
  return asked.map(({ text }) => text ?? '').filter((text) => !ours(text));
}

const options = readOptions();
if (options === null) process.exit(64);
/** @type {{ cases: readonly { name: string, title: string }[], attempt: (harness: any, options: any) => Promise<Row>, rows: Row[] }[]} */
const tables = [];
if (options.cases.length > 0) tables.push({ cases: options.cases, attempt: tryHarness, rows: [] });
if (options.hasSends) tables.push({ cases: SEND_CASES, attempt: tryMessages, rows: [] });
for (const { attempt, rows } of tables)
  for (const harness of options.harnesses) rows.push(await attempt(harness, options));
if (options.isJson)
  console.log(
    JSON.stringify(
      tables.flatMap(({ rows }) => rows),
      null,
      2,
    ),
  );
else for (const { cases, rows } of tables) printTable(rows, cases);
const isBad = tables.some(({ rows }) =>
  rows.some(({ results }) => Object.values(results).some(({ fault }) => fault !== null)),
);
process.exit(isBad ? 1 : 0);
