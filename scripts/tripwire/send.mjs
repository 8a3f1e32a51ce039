/**
 * Guarded send against real agents in real terminals, with a scripted model on loopback:
 *   node scripts/tripwire/send.mjs AGENTS [HARNESS…]
 * AGENTS holds one npm project for each agent (claude, codex, gemini, qwen, opencode; node24 beside them). For each:
 * a 60-line message arrives whole, once; a permission dialog refuses a send and gets no key; after a human's No the
 * session takes messages again. Prints one line for each check; the exit status is the number of failures.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { HARNESSES, prepareAgent } from './send-agents.mjs';
import { startModel } from './send-model.mjs';

const root = new URL('../../', import.meta.url).pathname;
const [agents, ...chosen] = process.argv.slice(2);
if (agents === undefined) {
  console.error('usage: node scripts/tripwire/send.mjs AGENTS [HARNESS…]');
  process.exit(64);
}

/** The product's own code, as it is in src/. */
async function loadOwn() {
  const out = join(root, 'node_modules/.cache/ape-shell-send.mjs');
  const from = (path) => JSON.stringify(join(root, 'src', path));
  await build({
    stdin: {
      contents: `export * from ${from('session/hosted-session.ts')}; export * from ${from('session/guarded-send.ts')};
        export * from ${from('session/session-target.ts')}; export * from ${from('session/send-requests.ts')};
        export * from ${from('core/harness/harnesses.ts')}; export * from ${from('core/harness/hook-events.ts')};
        export * from ${from('pty/pseudo-terminal.ts')};`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: out,
    logLevel: 'error',
  });
  return import(out);
}

const own = await loadOwn();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let failures = 0;
const check = (harness, what, isRight, detail = '') => {
  if (!isRight) failures += 1;
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${harness.padEnd(12)} ${what}${detail === '' ? '' : `: ${detail}`}`);
};

/** Hands on what the agent's hooks wrote, as `apes hooks report` does. */
function followHooks(session, harness, path) {
  let done = 0;
  const timer = setInterval(() => {
    let text = '';
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      return;
    }
    for (const line of text
      .slice(done, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)) {
      const [, , event = '', body = '{}'] = line.split('\t');
      try {
        const signal = own.signalBy(harness.hooks, event, JSON.parse(body));
        if (signal !== null) void own.answerSignal(session, { harness: harness.name, ...signal });
      } catch {
        console.log(`     ${harness.name}: a hook said what cannot be read (${event})`);
      }
    }
    done = text.lastIndexOf('\n') + 1;
  }, 20);
  return () => clearInterval(timer);
}

async function until(session, harness, test, ms) {
  for (let waited = 0; waited < ms; waited += 100) {
    if (test(own.readScreen(harness, await session.screen()))) return true;
    await wait(100);
  }
  return false;
}

async function tryHarness(name) {
  const place = mkdtempSync(join(tmpdir(), 'ape-tripwire-'));
  const model = await startModel();
  const agent = prepareAgent({ agents, harness: name, place, url: model.url });
  const harness = own.harnessNamed(name);
  const size = { columns: 100, rows: 30 };
  const program = {
    file: '/usr/bin/env',
    argv: ['-C', agent.cwd, agent.file, ...agent.args],
    environment: agent.environment,
  };
  const facts = {
    id: 's_0',
    name: null,
    kind: 'program',
    program: [agent.file],
    cwd: agent.cwd,
    startedAtMs: Date.now(),
  };
  let terminal;
  const keys = [];
  const session = new own.HostedSession(
    facts,
    {
      pid: () => terminal.pid,
      write: (bytes) => {
        keys.push(bytes.toString());
        terminal.write(bytes, () => undefined);
      },
      resize: (to) => terminal.resize(to),
      hangUp: () => terminal.hangUp(),
      kill: () => terminal.kill(),
    },
    size,
    true,
  );
  terminal = new own.PseudoTerminal(program, size, (chunk) => session.take(chunk));
  void terminal.exited.then((ending) => session.ended(ending));
  await session.activity.recognise([agent.file]);
  const stop = followHooks(session, harness, agent.events);
  const send = async (text) => {
    const startedAt = performance.now();
    const report = await own.sendGuarded(own.sendTargetOf(session, harness), own.writerOf(session), text, {
      mode: 'send',
    });
    return { ...report, ms: Math.round(performance.now() - startedAt) };
  };
  try {
    const isThere = await until(session, harness, (reading) => reading.kind === 'composer', 90_000);
    check(name, 'shows its editor', isThere);
    if (!isThere) return;
    await wait(1_500);
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}: ${'word '.repeat(5)}y p 1`);
    const sent = await send(lines.join('\n'));
    check(name, '60 lines are submitted', sent.result === 'submitted', `${sent.result}, ${sent.why}, ${sent.ms} ms`);
    const isWhole = () => model.requests.some(({ body }) => lines.every((line) => body.includes(line)));
    for (let waited = 0; waited < 10_000 && !isWhole(); waited += 200) await wait(200);
    check(name, '60 lines arrive whole', isWhole());
    await until(session, harness, (reading) => reading.kind === 'composer' && !reading.isBusy, 15_000);
    const asked = await send('please RUN[touch tripwire-was-here]');
    check(name, 'a second message is submitted', asked.result === 'submitted', `${asked.result}, ${asked.ms} ms`);
    const hasDialog = await until(session, harness, (reading) => reading.kind === 'dialog', 20_000);
    check(name, 'asks its human', hasDialog);
    const before = keys.length;
    const refused = await send('y');
    check(name, 'a send into its dialog is refused', refused.result === 'awaiting-decision', refused.result);
    check(name, 'and writes nothing', keys.length === before);
    session.write(Buffer.from('\x1b')); // the human's No
    await until(session, harness, (reading) => reading.kind === 'composer' && !reading.isBusy, 15_000);
    const after = await send('Go on without it.');
    check(
      name,
      "after the human's No it takes messages again",
      after.result === 'submitted',
      `${after.result}, ${after.why}, ${after.ms} ms`,
    );
  } finally {
    stop();
    terminal.kill();
    await terminal.exited;
    await model.stop();
    if (failures > 0)
      writeFileSync(join(tmpdir(), `ape-tripwire-${name}.txt`), (await session.screen()).lines.join('\n'));
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

for (const name of chosen.length > 0 ? chosen : HARNESSES)
  await tryHarness(name).catch((error) => check(name, 'ran', false, String(error)));
process.exit(Math.min(failures, 63));
