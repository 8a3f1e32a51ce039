/**
 * A long run on a server of its own: one covered one-shot after the other, and a session after every 200 of them. It measures the
 * memory and descriptors of the server and the resident gate, and stops at the first of the three limits. Needs Linux.
 *
 *   node scripts/bench/soak.mjs [--minutes 35] [--one-shots 200000] [--sessions 1000]
 *
 * Status 1 if an aim is missed: if a figure grows, or if the record has fewer or more uses than were made.
 */
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { buildTools, coverLines, LINE_OUTPUT, PROMPT } from './interactive.mjs';
import { median, now, percentile, timeProgram } from './measure.mjs';
import { footprintOf, processesOf } from './processes.mjs';
import { APE_SHELL, APES, Stage } from './stage.mjs';
import { addTable, ms, printTable, row, times } from './table.mjs';
import { Terminal } from './terminal.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '35' },
    'one-shots': { type: 'string', default: '200000' },
    sessions: { type: 'string', default: '1000' },
  },
});
const [minutes, mostOneShots, mostSessions] = [values.minutes, values['one-shots'], values.sessions].map(Number);
if (![minutes, mostOneShots, mostSessions].every((each) => each > 0)) {
  console.error('soak: --minutes, --one-shots and --sessions take numbers above 0');
  process.exit(64);
}

const ROWS = 20;
const ONE_SHOTS_A_SESSION = 200;
/** After each ten one-shots one `bash -c true` runs, for comparison: other load of the machine slows both programs. */
const ONE_SHOTS_A_BASH = 10;
const LINE = "echo do''ne\r";

const stage = new Stage();
const counts = { oneShots: 0, sessions: 0, lines: 0 };
/**
 * Makes an empty set of samples for the next row, in milliseconds.
 * @returns {{ oneShot: number[], prompt: number[], bash: number[] }}
 */
const noSamples = () => ({ oneShot: [], prompt: [], bash: [] });
let samples = noSamples();
const seen = [];

function oneShot() {
  samples.oneShot.push(timeProgram({ file: APE_SHELL, words: ['-c', 'true'], place: stage.place }));
  counts.oneShots++;
  if (counts.oneShots % ONE_SHOTS_A_BASH === 0)
    samples.bash.push(timeProgram({ file: 'bash', words: ['-c', 'true'], place: stage.place }));
}

/** Opens a session, runs one covered line, and closes it. */
async function session(open) {
  const shell = open([APE_SHELL]);
  samples.prompt.push((await shell.wait(PROMPT)).ms);
  await shell.send(LINE);
  await shell.wait(LINE_OUTPUT);
  await shell.wait(PROMPT);
  await shell.hangUp();
  counts.sessions++;
  counts.lines++;
}

/** Returns the figures of the resident gate: those of the larger of its two processes, the launcher and Node. */
function gateAmong(ours) {
  const launcher = ours.find(({ words }) => words.includes('gate'));
  const gates = ours.filter(({ session }) => session === launcher?.session);
  const held = gates.map(({ pid }) => footprintOf(pid)).sort((a, b) => b.mib - a.mib);
  return held[0] ?? { mib: 0, descriptors: 0 };
}

function look(began, server) {
  const ours = processesOf(stage.env.APES_HOME);
  const held = footprintOf(server);
  const gate = gateAmong(ours);
  const entry = {
    ...counts,
    ...held,
    gate,
    processes: ours.length,
    oneShotMs: samples.oneShot,
    promptMs: samples.prompt,
    besides: median(samples.oneShot) / median(samples.bash),
    bashMs: samples.bash,
  };
  seen.push({ minute: (now() - began) / 60_000, ...entry });
  samples = noSamples();
  process.stderr.write('.');
}

async function soak(open, server) {
  const began = now();
  const rowMs = (minutes * 60_000) / ROWS;
  while (counts.oneShots < mostOneShots && counts.sessions < mostSessions && now() - began < minutes * 60_000) {
    for (let i = 0; i < ONE_SHOTS_A_SESSION && counts.oneShots < mostOneShots; i++) oneShot();
    await session(open);
    if (now() - began >= (seen.length + 1) * rowMs) look(began, server);
  }
  if (samples.oneShot.length > 0) look(began, server);
}

/** The number of uses in the record of the server. */
function usesOnRecord() {
  const database = new Database(stage.databaseFile(), { readonly: true });
  try {
    return Number(database.prepare("SELECT count(*) FROM events WHERE kind = 'grant.used'").pluck().get());
  } finally {
    database.close();
  }
}

/** Compares the first third of the rows with the last third. The first row does not count, because caches fill and code compiles then. */
function verdicts(usesBefore) {
  const third = Math.max(1, Math.floor(seen.length / 3));
  const [first, last] = [seen.slice(1, 1 + third), seen.slice(-third)];
  const compare = (pick) => [first, last].map((rows) => median(rows.flatMap(pick)));
  const grown = (name, pick, most) => {
    const [before, after] = compare(pick);
    row(name, `${before.toFixed(1)} → ${after.toFixed(1)}`, times(after / before), [
      after <= before * most,
      `<= ${most}x`,
    ]);
    return after <= before * most;
  };
  const uses = usesOnRecord() - usesBefore;
  const wanted = counts.oneShots + counts.lines;
  row('uses on record', `${uses}`, `${wanted} ran`, [uses === wanted, 'the same']);
  return [
    grown('memory of the server, MiB', ({ mib }) => mib, 1.25),
    grown('descriptors of the server', ({ descriptors }) => descriptors, 1.1),
    grown('memory of the resident gate, MiB', ({ gate }) => gate.mib, 1.25),
    grown('processes', ({ processes }) => processes, 1.25),
    grown('a one-shot, times bash -c true', ({ besides }) => besides, 1.5),
    uses === wanted,
  ];
}

const HEAD = [
  'minute',
  'one-shots',
  'sessions',
  'server MiB',
  'fds',
  'gate MiB',
  'gate fds',
  'processes',
  'one-shot p50',
  'p99',
  'bash -c true',
  'first prompt',
];

try {
  stage.cover('true');
  const tools = buildTools(stage);
  const open = (words) => new Terminal(tools.terminal, words, stage.place);
  await coverLines(stage, open, [LINE]);
  const server = JSON.parse(stage.run(APES, ['up', '--status', '--json'])).data.pid;
  const usesBefore = usesOnRecord();
  await soak(open, server);
  addTable(
    HEAD,
    seen.map(({ minute, oneShots, sessions, mib, descriptors, gate, processes, oneShotMs, bashMs, promptMs }) => [
      ...[minute.toFixed(1), `${oneShots}`, `${sessions}`, mib.toFixed(0), `${descriptors}`],
      ...[gate.mib.toFixed(0), `${gate.descriptors}`, `${processes}`],
      ...[ms(median(oneShotMs)), ms(percentile(oneShotMs, 0.99)), ms(median(bashMs))],
      ...[promptMs.length > 0 ? ms(median(promptMs)) : ''],
    ]),
  );
  const areHeld = verdicts(usesBefore);
  stage.run(APES, ['server', 'check']);
  printTable();
  process.exitCode = areHeld.every(Boolean) ? 0 : 1;
} finally {
  stage.close();
}
