/**
 * From a message handed to the server until it says `submitted`, beside what the program itself takes: the same paste and
 * Enter from an attached terminal until the program's hook has reported the prompt. The pause between that paste and that
 * Enter does not count. The difference is what the looks before and after each write cost.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installUserHooks } from '../tripwire/gates.mjs';
import { Person } from '../tripwire/person.mjs';
import { prepareAgent } from '../tripwire/send-agents.mjs';
import { startModel } from '../tripwire/send-model.mjs';
import { inTurns, now, percentile } from './measure.mjs';
import { APES, root, Stage } from './stage.mjs';
import { ms, row } from './table.mjs';

const FIXTURE = path.join(root, 'test/fixtures/terminal/dialog-program.mjs');
const PAUSE_MS = 100;
/** A key of a person holds messages off for 500 ms; the program draws what it said. */
const BETWEEN_MS = 900;
const LOOK_MS = 5;
const WAIT_MS = 90_000;
/** A real agent is slower, and its screen fills. */
const MOST_REAL = 40;
const AIM_MS = 400;

/** @param agents directory with agents as the tripwire installs them, or undefined: then only a small program is measured */
export async function benchSend({ runs, agents }) {
  await measure('a small program', runs, (stage) => {
    Object.assign(stage.env, { LOG: path.join(stage.cwd, 'log'), HOOK_COMMAND: APES });
    return [process.execPath, FIXTURE];
  });
  if (agents === undefined) return;
  const model = await startModel();
  try {
    await measure('Claude Code', Math.min(runs, MOST_REAL), (stage) => claude(stage, agents, model.url));
  } finally {
    await model.stop();
  }
}

async function claude(stage, agents, url) {
  const agentDirectory = path.join(agents, existsSync(path.join(agents, 'claude')) ? 'claude' : 'claude-code');
  const installation = { variables: { APES_HOME: stage.env.APES_HOME } };
  const { home, cwd, argv, environment } = prepareAgent('claude-code', { agentDirectory, place: stage.cwd, url });
  await installUserHooks('claude-code', { home, work: cwd, installation });
  stage.cwd = cwd;
  Object.assign(stage.env, environment);
  return argv;
}

async function measure(title, runs, prepare) {
  const stage = new Stage();
  let person;
  try {
    const api = sessionApi(stage);
    const argv = await prepare(stage);
    const start = ['session', 'start', '--no-wait', '--detached', '--name', 'bench', '--cols', '100', '--rows', '40'];
    stage.run(APES, [...start, '--', ...argv], { statuses: [75] });
    stage.approveAll();
    api.id = stage.run(APES, [...start, '--', ...argv]).trim();
    await until(async () => (await api.send('the first message, which is not measured')).status === 200);
    person = new Person([APES, 'sessions', 'attach', 'bench'], { ...stage.place, columns: 100, rows: 40 });
    const samples = await inTurns({ own: () => typed(api, person), send: () => sent(api) }, runs);
    const over = samples.send.map((each, turn) => each - samples.own[turn]);
    const beside = (part) => `${ms(percentile(samples.own, part))} by hand`;
    row(`a message into ${title}, p50`, ms(percentile(samples.send, 0.5)), beside(0.5));
    row(`a message into ${title}, p99`, ms(percentile(samples.send, 0.99)), beside(0.99));
    const half = percentile(over, 0.5);
    row(`  of it ours, p50`, ms(half), '', [half <= AIM_MS, `<= ${AIM_MS} ms`]);
    row(`  of it ours, p99`, ms(percentile(over, 0.99)));
  } finally {
    await person?.stop();
    stage.run(APES, ['sessions', 'kill', 'bench'], { statuses: [0, 1, 64, 69] });
    stage.close();
  }
}

let count = 0;
const text = () => `message ${++count} of the bench`;

async function sent(api) {
  await settled(api);
  const begin = now();
  const { status, body } = await api.send(text());
  const took = now() - begin;
  if (status !== 200) throw new Error(`a message ended with ${status}: ${JSON.stringify(body)}`);
  return took;
}

async function typed(api, person) {
  await settled(api);
  const begin = now();
  person.type(`\x1b[200~${text()}\x1b[201~`);
  await sleep(PAUSE_MS);
  person.type('\r');
  await until(async () => (await api.state()) === 'active', LOOK_MS);
  return now() - begin - PAUSE_MS;
}

async function settled(api) {
  await until(async () => (await api.state()) === 'idle');
  await sleep(BETWEEN_MS);
}

async function until(holds, everyMs = 100) {
  const end = now() + WAIT_MS;
  while (!(await holds())) {
    if (now() > end) throw new Error('the program of the session did not do what was waited for');
    await sleep(everyMs);
  }
}

/** The server's calls about the session `id`. */
function sessionApi(stage) {
  stage.inbox(); // signs in
  const headers = { authorization: `Bearer ${stage.token('owner')}`, 'content-type': 'application/json' };
  const url = stage.url();
  const call = async (method, where, body) => {
    const answer = await fetch(`${url}${where}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    id: '',
    send(message) {
      return call('POST', `/v1/sessions/${this.id}/send`, { message });
    },
    async state() {
      return (await call('GET', `/v1/sessions/${this.id}`)).body.state;
    },
  };
}
