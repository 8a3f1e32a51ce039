/**
 * The long run of the effect differential: calls of every tool that has rules; what a scope covers runs in a sandbox, and what
 * it did is compared with what the reading said; then once more, held by the kernel as a host would hold it.
 *
 *   node scripts/effects/effects.mjs                    all tools that are installed, 100,000 covered runs or more
 *   … --tools git,tar     these alone      --seed S     the same calls again (default 1)
 *   … --most N            covered runs of a tool at most (default 1500)      --draws N   calls of a tool at most (default 30000)
 *   … --seconds N         of a tool at most (default 60)      --jobs N   processes (default 2)
 *
 *   … --open              not a second time, confined
 *
 * Linux, as root or with user namespaces. Prints every FAULT (done and not said), ESCAPE (done although the kernel should
 * hold it) and BROKEN (confined it ends otherwise), then a table; status 1 when there was a fault or an escape. What Debian calls the tools:
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
    open: { type: 'boolean', default: false },
    shard: { type: 'string' },
  },
});

const isHere = (name) => ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(path.join(folder, name)));
const BUILTINS = ['cd', 'export', 'type', 'echo', 'printf', 'test', 'true', 'pwd', 'kill'];

async function load() {
  const names = ['stage', 'tracer', 'rules', 'judge-calls', 'differential', 'help', 'base', 'draw'];
  return loadTestSources(names.map((name) => `export * from '../effects/${name}.ts';`).join('\n'));
}

function told({ line, cwd, deeds, said, covered }, stage) {
  const short = (text) => text.replaceAll(stage.tree, '@STAGE');
  const claims = covered.demands.map(
    ({ permission: { operation, risk, resources } }) =>
      `${operation}: ${risk} ${resources.map(({ kind, access, value, isExact }) => `${access} ${kind} ${value}${isExact ? '' : '…'}`).join(', ')}`,
  );
  return {
    line: short(line),
    cwd: path.basename(cwd),
    deeds: deeds.map(short),
    said: short(said).slice(0, 160),
    claims: claims.map(short),
  };
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
      const tally = await runTool(
        rule,
        name,
        { stage, tracer, judge: makeJudge(stage, book), base, helped, isConfined: !values.open },
        amount,
      );
      const lists = Object.fromEntries(
        ['faults', 'escapes', 'broken'].map((key) => [key, tally[key].map((each) => told(each, stage))]),
      );
      process.stdout.write(
        `${JSON.stringify({ ...tally, ...lists, seconds: Math.round((Date.now() - begin) / 1000) })}\n`,
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
  process.exit(tallies.some(({ faults, escapes }) => faults.length + escapes.length > 0) ? 1 : 0);
}

const KINDS = [
  ['faults', 'FAULT'],
  ['escapes', 'ESCAPE'],
  ['broken', 'BROKEN'],
];

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
    for (const [key, word] of KINDS)
      for (const each of tally[key]) console.log(`${word} ${tally.tool} ${JSON.stringify(each)}`);
    process.stderr.write(
      `${tally.tool}: ${tally.covered} covered of ${tally.drawn}, ${tally.faults.length} faults, ${tally.escapes.length} escapes, ${tally.broken.length} broken, ${tally.timeouts} timeouts, ${tally.seconds} s\n`,
    );
    give();
  }
}

function tell(tallies, missing) {
  const columns = [
    'tool',
    'drawn',
    'covered',
    'runs',
    'timeouts',
    'faults',
    'confined',
    'escapes',
    'broken',
    'seconds',
  ];
  const rows = tallies
    .sort((a, b) => (a.tool < b.tool ? -1 : 1))
    .map((tally) => ({
      ...tally,
      faults: tally.faults.length,
      escapes: tally.escapes.length,
      broken: tally.broken.length,
    }));
  const sum = Object.fromEntries(columns.slice(1).map((key) => [key, rows.reduce((all, row) => all + row[key], 0)]));
  console.log(columns.map((each) => each.padEnd(12)).join(''));
  for (const row of [...rows, { tool: 'all', ...sum }])
    console.log(columns.map((key) => String(row[key]).padEnd(12)).join(''));
  if (missing.length > 0) console.log(`not installed: ${missing.join(' ')}`);
}

await (values.shard === undefined ? all() : shard());
