/**
 * The long run of the effect differential: calls of every tool that has rules; what a scope covers runs in a sandbox, and what
 * it did is compared with what the reading said.
 *
 *   node scripts/effects/effects.mjs                    all tools that are installed, 100,000 covered runs or more
 *   … --tools git,tar     these alone      --seed S     the same calls again (default 1)
 *   … --most N            covered runs of a tool at most (default 1500)      --draws N   calls of a tool at most (default 30000)
 *   … --seconds N         of a tool at most (default 60)      --jobs N   processes (default 2)
 *
 * Linux, as root or with user namespaces. Prints every fault, then a table; status 1 when there was one. What Debian calls the tools:
 *
 *   apt-get install --no-install-recommends strace ripgrep fd-find rsync tree dnsutils iputils-ping nano gh golang-go man-db gawk mawk \
 *     bzip2 xz-utils zstd zip unzip jq yq xxd sqlite3 lsof file curl wget less tmux vim procps net-tools iproute2 binutils bsdextrautils
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadTestSources } from '../test-sources.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    tools: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '1500' },
    draws: { type: 'string', default: '30000' },
    seconds: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '2' },
    shard: { type: 'string' },
  },
});

const isHere = (name) => ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(path.join(folder, name)));
const BUILTINS = ['cd', 'export', 'type', 'echo', 'printf', 'test', 'true', 'pwd', 'kill'];

async function load() {
  const names = ['stage', 'tracer', 'rules', 'judge-calls', 'differential', 'help', 'base', 'draw'];
  return loadTestSources(names.map((name) => `export * from '../effects/${name}.ts';`).join('\n'));
}

/** One process of several: takes tool after tool from standard input, tells each tally as a line of JSON. */
async function shard() {
  const { makeStage, compileTracer, startTracer, readTables, bookOf, makeJudge, runTool, optionsOf, baseOf, drawnOf } =
    await load();
  const stage = makeStage();
  try {
    const tracer = startTracer(stage, compileTracer(stage, root));
    const book = bookOf(readTables(root));
    const base = baseOf(stage);
    const amount = {
      seed: Number(values.seed),
      most: Number(values.most),
      draws: Number(values.draws),
      seconds: Number(values.seconds),
    };
    for await (const name of createInterface({ input: process.stdin })) {
      const rule = book.find(name);
      const helps = new Map();
      for (const { words } of drawnOf(rule, name, () => []))
        helps.set(words.join(' '), await optionsOf(name, words, stage, tracer));
      const begin = Date.now();
      const helped = (words) => helps.get(words.join(' ')) ?? [];
      const tally = await runTool(rule, name, { stage, tracer, judge: makeJudge(stage, book), base, helped }, amount);
      const faults = tally.faults.map(({ line, cwd, deeds, said, covered }) => ({
        line: line.replaceAll(stage.tree, '@STAGE'),
        cwd: path.basename(cwd),
        deeds: deeds.map((deed) => deed.replaceAll(stage.tree, '@STAGE')),
        said: said.slice(0, 120),
        claims: covered.demands.map(
          ({ permission }) =>
            `${permission.operation}: ${permission.risk} ${permission.resources.map(({ kind, access, value, isExact }) => `${access} ${kind} ${value.replaceAll(stage.tree, '@STAGE')}${isExact ? '' : '…'}`).join(', ')}`,
        ),
      }));
      process.stdout.write(
        `${JSON.stringify({ ...tally, faults, seconds: Math.round((Date.now() - begin) / 1000) })}\n`,
      );
    }
    await tracer.stop();
  } finally {
    stage.remove();
  }
}

async function all() {
  const { readTables, bookOf } = await load();
  const tables = readTables(root);
  const book = bookOf(tables);
  const given =
    values.tools === ''
      ? [...tables.keys()].flatMap((tool) => namesOf(tables.get(tool), tool))
      : values.tools.split(',');
  const missing = given.filter((name) => !isHere(name) && !BUILTINS.includes(name));
  const names = given.filter((name) => !missing.includes(name) && book.find(name) !== null);
  const tallies = [];
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(names, tallies)));
  tell(tallies, missing);
  process.exit(tallies.some(({ faults }) => faults.length > 0) ? 1 : 0);
}

/** Names that are different programs. */
const namesOf = (table, tool) => (Array.isArray(table.names) ? table.names : [tool]);

async function work(names, tallies) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...process.argv.slice(2), '--shard', '1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const give = () => (names.length > 0 ? child.stdin.write(`${names.shift()}\n`) : child.stdin.end());
  give();
  for await (const line of createInterface({ input: child.stdout })) {
    const tally = JSON.parse(line);
    tallies.push(tally);
    for (const fault of tally.faults) console.log(`FAULT ${tally.tool} ${JSON.stringify(fault)}`);
    process.stderr.write(
      `${tally.tool}: ${tally.covered} covered of ${tally.drawn}, ${tally.faults.length} faults, ${tally.timeouts} timeouts, ${tally.seconds} s\n`,
    );
    give();
  }
}

function tell(tallies, missing) {
  const columns = ['tool', 'drawn', 'covered', 'runs', 'timeouts', 'faults', 'seconds'];
  const rows = tallies
    .sort((a, b) => (a.tool < b.tool ? -1 : 1))
    .map((tally) => ({ ...tally, faults: tally.faults.length }));
  const sum = Object.fromEntries(columns.slice(1).map((key) => [key, rows.reduce((all, row) => all + row[key], 0)]));
  console.log(columns.map((each) => each.padEnd(12)).join(''));
  for (const row of [...rows, { tool: 'all', ...sum }])
    console.log(columns.map((key) => String(row[key]).padEnd(12)).join(''));
  if (missing.length > 0) console.log(`not installed: ${missing.join(' ')}`);
}

await (values.shard === undefined ? all() : shard());
