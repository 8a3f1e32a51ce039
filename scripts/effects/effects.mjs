/**
 * The long run of the effect test, with calls of every tool that has a rule file. A call that a scope covers runs in a sandbox, and
 * its effects are compared with its assessment. Then it runs once more, confined as a host would confine it.
 *
 *   node scripts/effects/effects.mjs                    all tools that are installed, 100,000 covered runs or more
 *   … --tools git,tar     only these tools
 *   … --seed S            the seed of the random calls; the same seed draws the same calls (default 1)
 *   … --most N            at most N covered runs of a tool (default 1500)
 *   … --draws N           at most N random calls of a tool (default 30000)
 *   … --seconds N         at most N seconds for a tool (default 60)
 *   … --jobs N            N processes (default 2)
 *   … --open              without the second, confined run
 *   … --to FILE           appends the result of each tool, as a line of JSON. Skips a tool that is in FILE with the same seed, so that
 *                         an interrupted run can be continued, and runs of different tools can share a file
 *   … --sum FILE[,FILE…]  runs nothing: prints one table of the results in these files. A row counts only if the tool's rule file, and
 *                         the code that reads, scopes and confines lines, have not changed since
 *
 * Needs Linux, and root or user namespaces. Prints every FAULT (a call had an effect that is not in its assessment), ESCAPE (a confined
 * call had an effect that the confinement should prevent) and BROKEN (a call ended differently when confined), then a table. Status 1
 * after a fault or an escape. Debian's packages with the tools:
 *
 *   apt-get install --no-install-recommends strace ripgrep fd-find rsync tree dnsutils iputils-ping nano gh golang-go man-db gawk mawk \
 *     bzip2 xz-utils zstd zip unzip jq yq xxd sqlite3 lsof file curl wget less tmux vim procps net-tools iproute2 binutils bsdextrautils tealdeer
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
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
    to: { type: 'string', default: '' },
    sum: { type: 'string', default: '' },
    shard: { type: 'string' },
  },
});

const isHere = (name) => ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(path.join(folder, name)));
const BUILTINS = ['cd', 'export', 'type', 'echo', 'printf', 'test', 'true', 'pwd', 'kill'];

async function load() {
  const names = ['stage', 'tracer', 'rules', 'judge-calls', 'differential', 'help', 'base', 'draw'];
  return loadTestSources(names.map((name) => `export * from '../effects/${name}.ts';`).join('\n'));
}

function shortened({ line, cwd, accesses, said, covered }, stage) {
  const short = (text) => text.replaceAll(stage.tree, '@STAGE');
  const claims = covered.demands.map(
    ({ permission: { operation, risk, resources } }) =>
      `${operation}: ${risk} ${resources.map(({ kind, access, value, isExact }) => `${access} ${kind} ${value}${isExact ? '' : '…'}`).join(', ')}`,
  );
  return {
    line: short(line),
    cwd: path.basename(cwd),
    accesses: accesses.map(short),
    said: short(said).slice(0, 160),
    claims: claims.map(short),
  };
}

/** One process of several: reads names of tools from standard input, and prints the result of each as a line of JSON. */
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
      const optionsInHelp = (words) => helps.get(words.join(' ')) ?? [];
      const tally = await runTool(
        rule,
        name,
        { stage, tracer, judge: makeJudge(stage, book), base, optionsInHelp, isConfined: !values.open },
        amount,
      );
      const lists = Object.fromEntries(
        ['faults', 'escapes', 'broken'].map((key) => [key, tally[key].map((each) => shortened(each, stage))]),
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
  const states = statesOf(tables);
  const before = values.to === '' || !existsSync(values.to) ? [] : readParts([values.to], states);
  const done = new Set(before.flatMap(({ tool, seed }) => (seed === values.seed ? tool : [])));
  const names = given.filter((name) => !missing.includes(name) && !done.has(name) && book.find(name) !== null);
  const tallies = [];
  const keep = (tally) => {
    tallies.push(tally);
    if (values.to !== '')
      appendFileSync(
        values.to,
        `${JSON.stringify({ ...rowOf(tally), seed: values.seed, state: states.get(tally.tool) })}\n`,
      );
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(names, keep)));
  end([...before, ...tallies.map(rowOf)], missing);
}

/** The sources on which results depend: they assess, scope and confine a call, run it, and judge its effects. */
const JUDGED = [
  ...['reading', 'rules', 'effects', 'scope', 'policy', 'sensitive', 'confinement'].map((room) => `src/core/${room}`),
  ...['test/effects', 'test/fuzz', 'bin'],
];

/** Returns a digest of all source files on which the figures of a tool depend, and of the tool's rule file. */
function stateOf(ruleFile) {
  const files = [
    ...JUDGED.flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter(
          (entry) =>
            entry.isFile() && !/\.(?:so|o|test\.ts)$|^\.loaded-|^(?:mutations|broken-rules)\.ts$/.test(entry.name),
        )
        .map((entry) => path.join(entry.parentPath, entry.name)),
    ),
    path.join(root, 'src/rules', `${ruleFile}.toml`),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Returns the digest for each name of a tool that has a rule file. */
function statesOf(tables) {
  const states = new Map();
  for (const [tool, table] of tables) {
    const state = stateOf(tool);
    for (const name of namesOf(table, tool)) states.set(name, state);
  }
  return states;
}

/** Reads the figures from the files. Leaves out tools whose sources have changed since their run, and prints their names. */
function readParts(files, states) {
  const rows = files
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line));
  const stale = rows.filter(({ tool, state }) => states.get(tool) !== state);
  if (stale.length > 0)
    console.error(`left out, run with other sources: ${[...new Set(stale.map(({ tool }) => tool))].join(' ')}`);
  return rows.filter((row) => !stale.includes(row));
}

function end(rows, missing) {
  printSums(rows, missing);
  process.exit(rows.some(({ faults, escapes }) => faults + escapes > 0) ? 1 : 0);
}

const KINDS = [
  ['faults', 'FAULT'],
  ['escapes', 'ESCAPE'],
  ['broken', 'BROKEN'],
];

const added = (sum, row) =>
  sum === undefined
    ? row
    : Object.fromEntries(COLUMNS.map((key) => [key, key === 'tool' ? row.tool : sum[key] + row[key]]));

/** Returns the names under which a tool is tried: those in its rule file. They may be different programs. */
const namesOf = (table, tool) => (Array.isArray(table.names) ? table.names : [tool]);

async function work(names, keep) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...process.argv.slice(2), '--shard', '1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const give = () => (names.length > 0 ? child.stdin.write(`${names.shift()}\n`) : child.stdin.end());
  give();
  for await (const line of createInterface({ input: child.stdout })) {
    const tally = JSON.parse(line);
    keep(tally);
    for (const [key, word] of KINDS)
      for (const each of tally[key]) console.log(`${word} ${tally.tool} ${JSON.stringify(each)}`);
    process.stderr.write(
      `${tally.tool}: ${tally.covered} covered of ${tally.drawn}, ${tally.faults.length} faults, ${tally.escapes.length} escapes, ${tally.broken.length} broken, ${tally.timeouts} timeouts, ${tally.seconds} s\n`,
    );
    give();
  }
}

const COLUMNS = ['tool', 'drawn', 'covered', 'runs', 'timeouts', 'faults', 'confined', 'escapes', 'broken', 'seconds'];

/** Returns the row of a tool, in which the length of each list replaces the list. */
const rowOf = (tally) =>
  Object.fromEntries(COLUMNS.map((key) => [key, Array.isArray(tally[key]) ? tally[key].length : tally[key]]));

/** Prints the table. Adds up the figures of a tool that was run several times with different seeds. */
function printSums(rows, missing) {
  const byTool = new Map();
  for (const row of rows) byTool.set(row.tool, added(byTool.get(row.tool), row));
  const all = rows.reduce(added, undefined);
  const ordered = [...byTool.values()].sort((a, b) => (a.tool < b.tool ? -1 : 1));
  console.log(COLUMNS.map((each) => each.padEnd(12)).join(''));
  for (const row of all === undefined ? [] : [...ordered, { ...all, tool: 'all' }])
    console.log(COLUMNS.map((key) => String(row[key]).padEnd(12)).join(''));
  if (all !== undefined)
    console.log(`${byTool.size} tools, ${all.covered} covered runs: ${all.faults} outside, ${all.escapes} escapes`);
  if (missing.length > 0) console.log(`not installed: ${missing.join(' ')}`);
}

if (values.sum !== '') {
  const { readTables } = await load();
  end(readParts(values.sum.split(','), statesOf(readTables(root))), []);
} else await (values.shard === undefined ? all() : shard());
