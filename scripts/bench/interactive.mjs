/** Compares the interactive shell in a pty with plain bash, `script` and a minimal relay in C, with the same keys. */
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurns, median, percentile, ratio, timeProgram } from './measure.mjs';
import { APE_SHELL, root, Stage } from './stage.mjs';
import { mbPerSecond, mib, ms, row, times } from './table.mjs';
import { Terminal } from './terminal.mjs';

/** The quotes in the word keep the echo of the line from containing LINE_OUTPUT, for which the bench waits. */
const LINE = "echo do''ne\r";
export const LINE_OUTPUT = 'done\r\n';
/** The pause between two lines, so that the report about one line is not measured with the next. */
const BETWEEN_MS = 60;
/** The pause after the end of a shell, so that its last report to the server is not measured with the next program. */
const LEAVING_MS = 300;
export const PROMPT = 'ready> ';

export async function benchInteractive({ runs, mb }) {
  const stage = new Stage();
  try {
    const tools = buildTools(stage);
    const open = (words) => new Terminal(tools.terminal, words, stage.place);
    await coverLines(stage, open, [LINE, outputLine(stage, mb)]);
    await benchFirstPrompt(stage, open, runs);
    await benchLine(open, runs);
    await benchOutput(stage, open, tools, mb);
  } finally {
    stage.close();
  }
}

export function buildTools(stage) {
  const tools = {};
  for (const name of ['terminal', 'relay']) {
    tools[name] = path.join(stage.cwd, name);
    const words = ['-O2', path.join(root, 'scripts/bench', `${name}.c`), '-o', tools[name], '-lutil'];
    stage.run(process.env.CC || 'cc', words);
  }
  return tools;
}

/** Types every line and approves it for `always`, until a new shell runs them all without asking. */
export async function coverLines(stage, open, lines) {
  for (let round = 0; round < 4; round++) {
    const shell = open([APE_SHELL]);
    let asked = 0;
    try {
      await shell.wait(PROMPT);
      for (const line of [...lines, ...lines]) {
        await shell.send(line);
        await sleep(1000);
        asked += stage.approveAll().length;
        await shell.wait(LINE_OUTPUT);
        await shell.wait(PROMPT);
      }
    } finally {
      await shell.hangUp();
    }
    if (asked === 0) return;
  }
  throw new Error('a line that was approved for always is asked for again and again');
}

async function benchFirstPrompt(stage, open, runs) {
  const firstPrompt = (words) => async () => {
    const shell = open(words);
    const { ms: took } = await shell.wait(PROMPT);
    await shell.hangUp();
    await sleep(LEAVING_MS);
    return took;
  };
  const samples = await inTurns(
    {
      shell: firstPrompt([APE_SHELL]),
      bash: firstPrompt(['bash', '--login', '-i']),
      node: () => timeProgram({ file: process.execPath, words: ['-e', '0'], place: stage.place }),
    },
    Math.min(runs, 40),
  );
  const floor = samples.node.map((each, turn) => each + samples.bash[turn]);
  const beside = ratio(samples.shell, floor);
  row('first prompt, bash --login -i', ms(median(samples.bash)));
  row(
    'first prompt, ape-shell',
    `${ms(median(samples.shell))}, p99 ${ms(percentile(samples.shell, 0.99))}`,
    `${times(beside)} of (node -e 0 + bash)`,
    [beside <= 2, '<= 2x of node -e 0 + bash'],
  );
}

async function benchLine(open, runs) {
  const bash = open(['bash', '--login', '-i']);
  const shell = open([APE_SHELL]);
  try {
    const line = (terminal) => async () => {
      await terminal.send(LINE);
      const { ms: took } = await terminal.wait(LINE_OUTPUT);
      await terminal.wait(PROMPT);
      await sleep(BETWEEN_MS);
      return took;
    };
    await bash.wait(PROMPT);
    await shell.wait(PROMPT);
    const samples = await inTurns({ bash: line(bash), shell: line(shell) }, runs);
    const more = samples.shell.map((each, turn) => each - samples.bash[turn]);
    const show = (each) => `p50 ${ms(median(each))}, p99 ${ms(percentile(each, 0.99))}`;
    row('Enter → output, bash -i', show(samples.bash));
    row('Enter → output, ape-shell, covered line', show(samples.shell), `${ms(median(more))} more than bash`, [
      median(more) <= 5,
      '<= 5 ms more, p50',
    ]);
  } finally {
    await bash.hangUp();
    await shell.hangUp();
  }
}

/** Writes a file with lines of 60 characters, as `ls -l` or a compiler prints them. Returns the command line that prints this file. */
export function outputLine(stage, mb) {
  const file = path.join(stage.cwd, 'output.txt');
  const line = `${'0123456789'.repeat(6)}\n`;
  writeFileSync(file, line.repeat(Math.round((mb * 1e6) / line.length)));
  return "cat output.txt; echo do''ne\r";
}

async function benchOutput(stage, open, tools, mb) {
  const login = ['bash', '--login', '-i'];
  const contestants = {
    direct: login,
    script: ['script', '-q', '-c', login.join(' '), '/dev/null'],
    relay: [tools.relay, ...login],
    shell: [APE_SHELL],
  };
  const line = outputLine(stage, mb);
  let peaks = [];
  const throughput = (name, words) => async () => {
    const terminal = open(words);
    await terminal.wait(PROMPT);
    await sleep(100);
    await terminal.send(line);
    const { ms: took, bytes } = await terminal.wait(LINE_OUTPUT);
    if (bytes < statSync(path.join(stage.cwd, 'output.txt')).size)
      throw new Error(`${name} lost output: ${bytes} bytes`);
    if (name === 'shell') peaks = await peaksOf(terminal);
    await terminal.hangUp();
    return bytes / 1e3 / took;
  };
  const each = Object.entries(contestants).filter(([, [file]]) => file !== 'script' || hasScript());
  const samples = await inTurns(Object.fromEntries(each.map(([name, words]) => [name, throughput(name, words)])), 3);
  for (const [name, title] of [
    ['direct', 'bash, no second pty'],
    ['script', 'script -q -c bash'],
    ['relay', 'plain C relay'],
  ])
    if (samples[name]) row(`${mb} MB of output, ${title}`, mbPerSecond(median(samples[name])));
  const beside = ratio(samples.shell, samples.relay);
  const script = samples.script ? `, ${times(ratio(samples.shell, samples.script))} script` : '';
  row(`${mb} MB of output, ape-shell`, mbPerSecond(median(samples.shell)), `${times(beside)} relay${script}`, [
    beside >= 1,
    '>= 1x of the relay',
  ]);
  row(
    `peak memory during ${mb} MB`,
    peaks.map(([name, size]) => `${name} ${mib(size)}`).join(', ') || 'not reported here',
  );
}

const hasScript = () => spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0;

/** Returns the peak memory of the launcher, and of each process that descends from it or is in its terminal session: [[name, MiB]]. */
async function peaksOf(terminal) {
  const found = [];
  const wanted = new Set([await terminal.pid()]);
  for (const { pid, parent, session, name } of processes()) {
    if (!wanted.has(pid) && !wanted.has(parent) && !wanted.has(session)) continue;
    wanted.add(pid);
    found.push([name, await terminal.peakMib(pid)]);
  }
  return found;
}

function processes() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,sid=,comm='], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .map((each) => each.trim().split(/\s+/))
    .filter((words) => words.length >= 4)
    .map(([pid, parent, session, name]) => ({
      pid: Number(pid),
      parent: Number(parent),
      session: Number(session),
      name,
    }));
}
