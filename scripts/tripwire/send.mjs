/**
 * Sends messages into real agents in sessions. The gate's own hook is not installed, because the cases need the agent's own dialog. The
 * class Person acts as a person who attaches with `apes sessions attach` in another terminal and types.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../message-of.mjs';
import { AgentSession, APES, CHANGE_MS, LOOK_MS, must, SIZE, START_MS } from './agent-session.mjs';
import { Person } from './person.mjs';
import { SUGGESTION } from './send-model.mjs';
import { countWrites } from './written-keys.mjs';

export const SEND_CASES = [
  { name: 'short', title: 'a line is submitted, the program reports it, the model gets it' },
  { name: 'whole', title: '60 lines arrive whole and in one message' },
  { name: 'line', title: 'one line of 900 characters, and one of 31,000, arrive whole' },
  {
    name: 'dialog',
    title: 'while its permission dialog is open: send and nudge end with 77, no key is written, nothing runs',
  },
  { name: 'after', title: "after the human's No, typed in an attached terminal, the agent takes messages again" },
  { name: 'draft', title: 'while a human has typed half a line: by keys 80, over an API submitted; the line stays' },
  { name: 'suggested', title: 'while the agent suggests what to type next: submitted, without the suggestion' },
  { name: 'keys', title: 'by keys, although the agent has an API' },
  { name: 'mode', title: 'over the API, in the mode that the human chose in the window' },
];

/** Agents with an API for messages. Messages to them go over this API by default. */
const HAS_API = new Set(['opencode']);
const API_CASES = new Set(['keys', 'mode']);
const NO_API = 'it has no usable API: every message goes by keys';
/** Agents whose editor suggests the next message. */
const SUGGESTS = new Set(['qwen']);

const UNKNOWN_SCREEN = 'its screen is not known: nothing is sent into its terminal';
export const SEND_NOT_APPLICABLE = {
  openclaw: UNKNOWN_SCREEN,
  copilot: UNKNOWN_SCREEN,
  pi: UNKNOWN_SCREEN,
  'pi-later': UNKNOWN_SCREEN,
};

/** @returns {Promise<Record<string, { fault: string | null, note?: string, why?: string }>>} by case; a case that was not reached has a fault */
export async function trySends(harness, { installation, agent, node24 }) {
  const stage = new SendStage(harness.name, installation);
  /** @type {Record<string, { fault: string | null, note?: string, why?: string }>} */
  const results = {};
  let fault = null;
  try {
    await stage.start(agent, node24);
  } catch (error) {
    fault = `it did not start: ${messageOf(error)}`;
    await stage.keepScreen('start');
  }
  for (const { name } of SEND_CASES) {
    const why = whyNot(harness.name, name);
    if (why !== null) {
      results[name] = { fault: null, why };
      continue;
    }
    if (fault !== null) {
      results[name] = { fault };
      continue;
    }
    try {
      results[name] = { fault: null, note: await stage[name]() };
    } catch (error) {
      results[name] = { fault: messageOf(error) };
      await stage.keepScreen(name);
      // If the dialog never appeared, or is still open, the later cases cannot be tried.
      if (name === 'dialog') fault = 'the case before it failed';
    }
  }
  await stage.stop();
  return results;
}

/** Returns why a case does not apply to this agent, or null if it applies. */
function whyNot(harness, name) {
  if (API_CASES.has(name) && !HAS_API.has(harness)) return NO_API;
  return name === 'suggested' && !SUGGESTS.has(harness) ? 'it was not seen to suggest anything' : null;
}

class SendStage extends AgentSession {
  /** @type {Person | undefined} set by `start` */ #person;
  /** The file that the refused command would make. */
  marker = '';

  get person() {
    if (this.#person === undefined) throw new Error('the agent has not started');
    return this.#person;
  }

  /** The default way of a message to this agent: `api` or `keys`. */
  get way() {
    return HAS_API.has(this.harness) ? 'api' : 'keys';
  }

  /** @override */
  async start(agent, node24) {
    await super.start(agent, node24);
    this.#person = new Person([APES, 'sessions', 'attach', this.name], { cwd: this.cwd, env: this.env, ...SIZE });
  }

  async short() {
    const text = 'Say that you have read this short line.';
    const sent = this.way === 'api' ? await this.first(text) : await this.submitted(text);
    await this.received(text);
    return sent;
  }

  /** Sends again until the agent's plugin has found the session: on a busy machine opencode loads the plugin late. */
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

  async line() {
    const notes = [];
    for (const length of [900, 31_000]) {
      const text = `${length} characters: ${'one-long-line-'.repeat(length)}`.slice(0, length);
      await this.idle();
      notes.push(await this.submitted(text));
      await this.received(text);
    }
    return notes.join('; ');
  }

  async dialog() {
    await this.idle();
    this.marker = join(this.cwd, 'ran-by-nobody');
    await this.submitted(`please RUN[touch ${this.marker}]`);
    await this.until((reading) => reading.kind === 'dialog', 'its dialog');
    const writes = await countWrites(await this.view(), join(this.place, 'keys'), async () => {
      for (const verb of ['send', 'nudge']) {
        const refused = await this.send('y', verb);
        must(refused.status === 77, `${verb} into the dialog ended with ${refused.status}: ${refused.why}`);
      }
    });
    must(writes === null || writes === 0, `${writes} writes reached the terminal`);
    must((await this.reading()).kind === 'dialog', 'the dialog is gone');
    must(!existsSync(this.marker), 'REFUSED, AND THE COMMAND RAN');
    return writes === null ? 'writes were not counted: strace is missing' : null;
  }

  async after() {
    this.person.type('\x1b');
    await this.until((reading) => reading.kind === 'composer' && !reading.isBusy, 'its editor');
    must(!existsSync(this.marker), 'NO WAS SAID, AND THE COMMAND RAN');
    const text = 'Go on without that command.';
    let sent;
    const writes = await countWrites(await this.view(), join(this.place, 'keys'), async () => {
      sent = await this.submitted(text);
    });
    const isRight = writes === null || (this.way === 'api' ? writes === 0 : writes >= 2);
    must(isRight, `a message by ${this.way} took ${writes} writes into the terminal`);
    await this.received(text);
    return sent;
  }

  async draft() {
    await this.idle();
    const typed = 'half a tho';
    this.person.type(typed);
    await this.until(
      (reading) => reading.kind === 'composer' && reading.draft?.includes(typed) === true,
      "the person's line",
    );
    await sleep(1_500);
    const refused = await this.send('over the draft', 'send', '--via', 'keys');
    must(refused.status === 80, `it ended with ${refused.status}: ${refused.why}`);
    await this.expectDraft(typed);
    must(!this.prompts().some((each) => each.includes('over the draft')), 'the message reached the model');
    if (this.way !== 'api') return null;
    const sent = await this.submitted('beside the half-typed line');
    const prompt = await this.received('beside the half-typed line');
    must(!prompt.includes(typed), 'the line of the person went with the message');
    await this.expectDraft(typed);
    this.person.type('\x7f'.repeat(typed.length));
    return sent;
  }

  /** Runs after the half-typed line of the case before it was deleted. */
  async suggested() {
    this.person.type('\x7f'.repeat(20));
    await this.shows(new RegExp(`^> ${SUGGESTION}$`));
    const text = 'Say that you have read this line, which nobody suggested.';
    const sent = await this.submitted(text);
    const prompt = await this.received(text);
    must(!prompt.includes(SUGGESTION), 'the suggestion went with the message');
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

  async expectDraft(typed) {
    const reading = await this.reading();
    must(reading.kind === 'composer' && reading.draft?.trim() === typed, 'the line of the person has changed');
  }

  async shows(pattern) {
    for (let waited = 0; waited < CHANGE_MS; waited += LOOK_MS) {
      const { screen } = await this.view();
      if (screen?.lines.some((line) => pattern.test(line))) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`${pattern} did not show up`);
  }

  /** Sends a message that must be submitted. Returns how long it took, including the start of `apes`. */
  async submitted(text, way = this.way, ...options) {
    return this.judged(await this.send(text, 'send', ...options), way);
  }

  judged(sent, way) {
    must(sent.status === 0, `it ended with ${sent.status} after ${sent.ms} ms: ${sent.result}, ${sent.why}`);
    must(sent.via === way, `it went by ${sent.via}, not by ${way}`);
    return way === 'api' ? `${sent.ms} ms, over its API` : `${sent.ms} ms, Enters: ${sent.enters}`;
  }

  /** Waits until the model has received a message with this text. Returns the whole message. */
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

  /** Writes the screen to a file, to find out why a case failed. */
  async keepScreen(name) {
    const folder = process.env.TRIPWIRE_SCREENS;
    if (!folder) return;
    const view = await this.view().catch((error) => ({ error: error.message }));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${this.harness}.${name}.json`), JSON.stringify(view, null, 2));
  }

  /** @override */
  async stop() {
    await this.#person?.stop();
    await super.stop();
  }
}

/** Returns every string in a JSON value. */
function textsIn(value) {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
