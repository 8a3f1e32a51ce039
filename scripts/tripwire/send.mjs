/**
 * Messages into real agents in sessions, by the built `apes`, with the reporting hooks that `apes hooks install` puts
 * there. The gate's own hook is taken out again: it would answer the tool itself, and what is tried is the agent's dialog.
 * A person attaches with `apes sessions attach` in a terminal of their own and types.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installUserHooks } from './gates.mjs';
import { DIST } from './installation.mjs';
import { Person } from './person.mjs';
import { runProgram } from './processes.mjs';
import { prepareAgent } from './send-agents.mjs';
import { startModel } from './send-model.mjs';
import { loadScreens } from './send-screens.mjs';
import { countKeys } from './written-keys.mjs';

export const SEND_CASES = [
  { name: 'short', title: 'a line is submitted, the program reports it, the model gets it' },
  { name: 'whole', title: '60 lines arrive whole and in one message' },
  { name: 'dialog', title: 'while its permission dialog is open: send and nudge end with 77, no key, nothing runs' },
  { name: 'after', title: "after the human's No, typed in an attached terminal, it takes messages again" },
  { name: 'draft', title: "over a human's half-typed line: by keys 80, over an API submitted; the line stays" },
  { name: 'keys', title: 'by keys, where the agent has an API' },
  { name: 'mode', title: 'over the API it goes to the mode the human chose in the window' },
];

/** Agents with an API for messages, by which they go unless told otherwise. */
const HAS_API = new Set(['opencode']);
const API_CASES = new Set(['keys', 'mode']);
const NO_API = 'it has no API that holds: every message goes by keys';

export const SEND_NOT_APPLICABLE = { openclaw: 'its screen is not known: nothing is sent into its terminal' };

const APES = join(DIST, 'bin/apes');
const START_MS = 120_000;
const CHANGE_MS = 60_000;
const CALL_MS = 60_000;
const LOOK_MS = 250;
const SIZE = { columns: 120, rows: 40 };
const SETTINGS = ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json', '.qwen/settings.json'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const must = (holds, what) => {
  if (!holds) throw new Error(what);
};

/** @returns {Promise<Record<string, {fault: string | null, note?: string}>>} by case; a case that never came is a fault */
export async function trySends(harness, { installation, agent, node24 }) {
  const stage = new SendStage(harness, installation);
  const results = {};
  let fault = null;
  try {
    await stage.start(agent, node24);
  } catch (error) {
    fault = `it did not start: ${error.message}`;
    await stage.keepScreen('start');
  }
  for (const { name } of SEND_CASES) {
    if (API_CASES.has(name) && !HAS_API.has(harness.name)) {
      results[name] = { fault: null, why: NO_API };
      continue;
    }
    if (fault !== null) {
      results[name] = { fault };
      continue;
    }
    try {
      results[name] = { fault: null, note: await stage[name]() };
    } catch (error) {
      results[name] = { fault: error.message };
      await stage.keepScreen(name);
      // A dialog that was never there, or is still open, leaves nothing to try.
      if (name === 'dialog') fault = 'the case before it failed';
    }
  }
  await stage.stop();
  return results;
}

/** One agent in one session. */
class SendStage {
  constructor(harness, installation) {
    this.harness = harness;
    this.installation = installation;
    this.name = `send-${harness.name}`;
    this.place = join(installation.directory, this.name);
    mkdirSync(this.place, { recursive: true });
    this.count = 0;
    this.way = HAS_API.has(harness.name) ? 'api' : 'keys';
  }

  async start(agent, node24) {
    this.model = await startModel();
    this.readScreen = await loadScreens(this.harness.name, this.place);
    const { name } = this.harness;
    const prepared = prepareAgent(name, {
      agentDirectory: agent.directory,
      node24,
      place: this.place,
      url: this.model.url,
    });
    this.cwd = prepared.cwd;
    this.env = { ...prepared.environment, ...this.installation.variables };
    await installUserHooks(name, { home: prepared.home, work: prepared.cwd, installation: this.installation });
    for (const file of SETTINGS) withoutGate(join(prepared.home, file));
    const words = ['session', 'start', '--no-wait', '--detached', '--name', this.name];
    const size = ['--cols', String(SIZE.columns), '--rows', String(SIZE.rows)];
    const start = [...words, ...size, '--', ...prepared.argv];
    const asked = await this.apes(...start);
    const id = /g_[a-z2-7]{26}/.exec(asked.out + asked.err)?.[0];
    must(asked.status === 75 && id !== undefined, `session start: ${asked.status} ${asked.err}`);
    await this.installation.approve(id, 'always');
    const started = await this.apes(...start);
    must(started.status === 0, `session start: ${started.status} ${started.err}`);
    await this.until((reading) => reading.kind === 'composer', 'its editor', START_MS);
    await this.announced();
    await sleep(2_000);
    this.person = new Person([APES, 'sessions', 'attach', this.name], { cwd: this.cwd, env: this.env, ...SIZE });
  }

  /** Its hook has reported the launch; Codex has none for it. */
  async announced() {
    for (
      let waited = 0;
      this.harness.name !== 'codex' && waited < 20_000 && (await this.view()).state === null;
      waited += LOOK_MS
    )
      await sleep(LOOK_MS);
  }

  async short() {
    const text = 'Say that you have read this short line.';
    const sent = this.way === 'api' ? await this.first(text) : await this.submitted(text);
    await this.received(text);
    return sent;
  }

  /** Once its plugin has found the session: opencode loads it late on a machine at work. */
  async first(text) {
    for (let waited = 0; ; waited += LOOK_MS) {
      const sent = await this.send(text, 'send', '--via', 'api');
      const isEarly = sent.status === 81 && /offers no API/.test(sent.why) && waited < START_MS;
      if (!isEarly) return this.judged(sent, 'api');
      await sleep(LOOK_MS);
    }
  }

  async whole() {
    const text = Array.from({ length: 60 }, (_, at) => `line ${at + 1}: ${'word '.repeat(5)}y p 1`).join('\n');
    await this.idle();
    const sent = await this.submitted(text);
    const prompt = await this.received(text);
    must(prompt.split('line 37: ').length === 2, 'it arrived more than once in one message');
    return sent;
  }

  async dialog() {
    await this.idle();
    this.marker = join(this.cwd, 'ran-by-nobody');
    await this.submitted(`please RUN[touch ${this.marker}]`);
    await this.until((reading) => reading.kind === 'dialog', 'its dialog');
    const keys = await countKeys(await this.view(), join(this.place, 'keys'), async () => {
      for (const verb of ['send', 'nudge']) {
        const refused = await this.send('y', verb);
        must(refused.status === 77, `${verb} into the dialog ended with ${refused.status}: ${refused.why}`);
      }
    });
    must(keys === null || keys === 0, `${keys} writes reached the terminal`);
    must((await this.reading()).kind === 'dialog', 'the dialog is gone');
    must(!existsSync(this.marker), 'REFUSED, AND THE COMMAND RAN');
    return keys === null ? 'writes were not counted: strace is missing' : null;
  }

  async after() {
    this.person.type('\x1b');
    await this.until((reading) => reading.kind === 'composer' && !reading.isBusy, 'its editor');
    must(!existsSync(this.marker), 'NO WAS SAID, AND THE COMMAND RAN');
    const text = 'Go on without that command.';
    let sent;
    const keys = await countKeys(await this.view(), join(this.place, 'keys'), async () => {
      sent = await this.submitted(text);
    });
    const isRight = this.way === 'api' ? keys === 0 : keys >= 2;
    must(keys === null || isRight, `a message by ${this.way} took ${keys} writes into the terminal`);
    await this.received(text);
    return sent;
  }

  async draft() {
    await this.idle();
    const typed = 'half a tho';
    this.person.type(typed);
    await this.until((reading) => reading.kind === 'composer' && reading.draft.includes(typed), "the person's line");
    await sleep(1_500);
    const refused = await this.send('over the draft', 'send', '--via', 'keys');
    must(refused.status === 80, `it ended with ${refused.status}: ${refused.why}`);
    await this.stands(typed);
    must(!this.prompts().some((each) => each.includes('over the draft')), 'the message reached the model');
    if (this.way !== 'api') return null;
    const sent = await this.submitted('beside the half-typed line');
    const prompt = await this.received('beside the half-typed line');
    must(!prompt.includes(typed), 'the line of the person went with the message');
    await this.stands(typed);
    this.person.type('\x7f'.repeat(typed.length));
    return sent;
  }

  async keys() {
    await this.idle();
    const text = 'Say that you have read this line, which came by keys.';
    const sent = await this.submitted(text, 'keys', '--via', 'keys');
    await this.received(text);
    return sent;
  }

  async mode() {
    await this.idle();
    this.person.type('\t');
    await this.shows(/┃ +Plan · /);
    const sent = await this.submitted('Say that you have read this in plan mode.');
    await this.shows(/▣ +Plan · /);
    return sent;
  }

  async stands(typed) {
    const reading = await this.reading();
    must(reading.kind === 'composer' && reading.draft.trim() === typed, 'the line of the person has changed');
  }

  async shows(pattern) {
    for (let waited = 0; waited < CHANGE_MS; waited += LOOK_MS) {
      const { screen } = await this.view();
      if (screen?.lines.some((line) => pattern.test(line))) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`${pattern} did not show up`);
  }

  /** `apes send`: status, report and time; the text comes from a file, as scripts do it. */
  async send(text, verb = 'send', ...options) {
    const file = join(this.place, `message-${this.count++}`);
    writeFileSync(file, text);
    const beganAt = performance.now();
    const words = verb === 'send' ? ['send', this.name, '--file', file] : ['nudge', this.name, text];
    const done = await this.apes(...words, ...options, '--json');
    const ms = Math.round(performance.now() - beganAt);
    const report = done.out.startsWith('{') ? JSON.parse(done.out) : { why: done.err.trim() };
    return { status: done.status, ms, ...report };
  }

  /** Says how long it took, the start of `apes` included. */
  async submitted(text, way = this.way, ...options) {
    return this.judged(await this.send(text, 'send', ...options), way);
  }

  judged(sent, way) {
    must(sent.status === 0, `it ended with ${sent.status} after ${sent.ms} ms: ${sent.result}, ${sent.why}`);
    must(sent.via === way, `it went by ${sent.via}, not by ${way}`);
    return way === 'api' ? `${sent.ms} ms, over its API` : `${sent.ms} ms, Enters: ${sent.enters}`;
  }

  /** The text of the message in which the model got it. */
  async received(text) {
    const find = () => this.prompts().find((each) => each.includes(text));
    for (let waited = 0; waited < CHANGE_MS && find() === undefined; waited += LOOK_MS) await sleep(LOOK_MS);
    const found = find();
    const first = text.split('\n')[0];
    const part = this.prompts().find((each) => each.includes(first)) ?? '(not even its first line)';
    must(found !== undefined, `the model did not get it whole: ${JSON.stringify(part.slice(0, 300))}`);
    return found;
  }

  prompts() {
    return this.model.requests.flatMap(({ body }) => (body.startsWith('{') ? textsIn(JSON.parse(body)) : []));
  }

  idle() {
    return this.until(
      (reading) => reading.kind === 'composer' && !reading.isBusy && reading.draft === '',
      'its editor',
    );
  }

  async until(holds, what, ms = CHANGE_MS) {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      if (holds(await this.reading())) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`${what} did not show up in ${ms / 1000} s`);
  }

  async view() {
    const { status, out, err } = await this.apes('sessions', 'show', '--json', this.name);
    must(status === 0, `sessions show: ${err.trim()}`);
    return JSON.parse(out);
  }

  async reading() {
    const { screen } = await this.view();
    return screen === null ? { kind: 'unknown' } : this.readScreen(screen);
  }

  apes(...words) {
    return runProgram(APES, words, { cwd: this.cwd, env: this.env, timeoutMs: CALL_MS });
  }

  /** For whoever looks into a failure. */
  async keepScreen(name) {
    const folder = process.env.TRIPWIRE_SCREENS;
    if (!folder) return;
    const view = await this.view().catch((error) => ({ error: error.message }));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${this.harness.name}.${name}.json`), JSON.stringify(view, null, 2));
  }

  async stop() {
    await this.person?.stop();
    if (this.env) await this.apes('sessions', 'kill', this.name);
    await this.model?.stop();
  }
}

/** Every string in a value. */
function textsIn(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The gate's own entries are taken out, the reporting ones stay. */
function withoutGate(file) {
  if (!existsSync(file)) return;
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  for (const [event, groups] of Object.entries(settings.hooks ?? {}))
    settings.hooks[event] = groups
      .map((group) => ({ ...group, hooks: group.hooks.filter(({ command }) => !command?.includes('hook-guard')) }))
      .filter(({ hooks }) => hooks.length > 0);
  writeFileSync(file, JSON.stringify(settings, null, 2));
}
