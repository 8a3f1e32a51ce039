/**
 * Measures how much longer `apes send` takes than the program itself, in turns (by hand, by `apes send`, by hand …) in the same
 * terminal of each real agent.
 *
 *   own   from the paste into the session's terminal until the program starts its prompt hook. send-hand.mjs pastes and presses Enter
 *         as soon as the editor shows the text, or after the pause without which the program takes Enter for a part of the paste.
 *   send  from the start of `apes send SESSION TEXT` until it has ended with 0. This includes the way through the session's host, every
 *         check, and the whole run of our own hook that confirms the message.
 *
 * So the difference is the time of our own code, without the time for which a person at the keyboard waits too.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENTS } from '../../src/certify/harnesses.mjs';
import { TrialInstallation } from '../../src/certify/installation.mjs';
import { messageOf } from '../message-of.mjs';
import { AgentSession, SIZE } from '../tripwire/agent-session.mjs';
import { bringAgent, NODE_24 } from '../tripwire/agents.mjs';
import { SEND_NOT_APPLICABLE } from '../tripwire/send.mjs';
import { inTurns, percentile } from './measure.mjs';
import { Hand } from './send-hand.mjs';
import { Stamps } from './send-stamps.mjs';
import { root } from './stage.mjs';
import { addTable, ms } from './table.mjs';

const FIXTURE = path.join(root, 'test/fixtures/terminal/dialog-program.mjs');
/** The pause between two messages: a key of a person delays messages for 500 ms, and the hook at the end of a turn also takes time. */
const BETWEEN_MS = 900;
/** After this time the hand presses Enter again, as `apes send` does. */
const IMPATIENT_MS = 2_000;
/** The largest number of messages into a real agent: it is slower than the small program, and its screen fills. */
const MAX_REAL = 30;
const AIM_MS = 400;

/** @param agents directory with agents as `scripts/tripwire` installs them; if undefined, only a small program is measured */
export async function benchSend({ runs, agents, harnesses }) {
  const rows = [];
  const failures = [];
  const measure = async (title, start, count) => {
    try {
      rows.push(rowOf(title, await inOwnInstallation(start, count)));
    } catch (error) {
      failures.push(`${title}: ${messageOf(error)}`);
    }
    process.stderr.write('.');
  };
  if (harnesses === undefined) await measure('a small program', startFixture, runs);
  for (const harness of agents === undefined ? [] : AGENTS) {
    const { name } = harness;
    if (name.endsWith('-managed') || SEND_NOT_APPLICABLE[name] || (harnesses && !harnesses.split(',').includes(name)))
      continue;
    await measure(name, (installation) => startAgent(harness, agents, installation), Math.min(runs, MAX_REAL));
  }
  if (rows.length > 0) addTable(HEAD, rows);
  if (failures.length > 0) throw new Error(failures.join('; '));
}

const HEAD = ['message into', 'pairs', 'own p50', 'send p50', 'difference p50', 'p95', 'aim'];

/** @param {Record<string, number[]>} samples */
function rowOf(title, samples) {
  const { own, send } = samples;
  const over = send.map((each, turn) => each - own[turn]);
  const half = percentile(over, 0.5);
  const figures = [percentile(own, 0.5), percentile(send, 0.5), half, percentile(over, 0.95)].map(ms);
  return [title, String(over.length), ...figures, `${half <= AIM_MS ? 'ok ' : 'NO '} p50 <= ${AIM_MS} ms`];
}

async function inOwnInstallation(start, count) {
  const installation = await new TrialInstallation(mkdtempSync(path.join(tmpdir(), 'ape-bench-'))).open();
  const { session, stamps } = await start(installation);
  let hand;
  try {
    const directory = path.join(installation.apesHome, 'run/sessions');
    hand = await Hand.at(directory, session.name, session.harness, SIZE);
    const contestants = {
      own: () => byHand(hand, stamps),
      send: () => bySend(hand, session),
    };
    return await inTurns(contestants, count);
  } finally {
    hand?.close();
    await session.stop();
    await installation.close();
  }
}

class MeasuredSession extends AgentSession {
  /** @override */
  async prepared() {
    this.stamps = new Stamps(this.place);
    this.stamps.installIn(this.home);
  }
}

async function startAgent(harness, agents, installation) {
  const agent = await bringAgent(agents, harness, true);
  const node24 = harness.needsNode24
    ? path.join((await bringAgent(agents, NODE_24, true)).directory, 'node_modules/node/bin/node')
    : undefined;
  const session = new MeasuredSession(harness.name, installation);
  await session.start(agent, node24);
  return { session, stamps: session.stamps };
}

async function startFixture(installation) {
  const session = new AgentSession('generic', installation);
  const stamps = new Stamps(session.place);
  const env = { PATH: process.env.PATH, HOME: session.place, TERM: 'xterm-256color' };
  const log = path.join(session.place, 'log');
  await session.launchIn({ ...env, LOG: log, HOOK_COMMAND: stamps.reporter }, [process.execPath, FIXTURE]);
  return { session, stamps };
}

let count = 0;
const text = () => `message ${++count} of the bench, for nobody to answer`;

async function byHand(hand, stamps) {
  await settled(hand);
  const words = text();
  const { pastedAt, enteredAt } = await hand.write(words);
  const impatience = setInterval(() => void hand.enterAgain(words), IMPATIENT_MS);
  try {
    return (await stamps.after(enteredAt)) - pastedAt;
  } finally {
    clearInterval(impatience);
  }
}

async function bySend(hand, session) {
  await settled(hand);
  const { status, out, err, tookMs } = await session.apes('send', session.name, text(), '--via', 'keys');
  if (status !== 0) throw new Error(`apes send ended with ${status}: ${err || out}`);
  return tookMs;
}

async function settled(hand) {
  await hand.idle();
  await sleep(BETWEEN_MS);
}
