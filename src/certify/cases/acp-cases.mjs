/**
 * Cases for an agent that speaks the Agent Client Protocol behind `apes acp`, without our hooks. Each request that the agent sends to the
 * editor waits in the inbox. `apes acp` can stop an action only if the agent sends a request for this action. If the agent sends no
 * request, each case fails.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must, mustNot, mustSee } from '../case-errors.mjs';
import { DIST } from '../installation.mjs';
import { say, shell } from '../mock-model.mjs';
import { runProgram } from '../processes.mjs';

const EDITOR = fileURLToPath(new URL('../acp-editor.mjs', import.meta.url));
const APES = join(DIST, 'bin/apes');
const LOOK_MS = 250;
const ASKED_MS = 60_000;

/**
 * Decides each request of this case as soon as the request is in the inbox. A case can have two requests: some agents first ask for
 * permission, and then for a terminal. Returns whether the inbox had a request of this case.
 */
async function decideInInbox(stage, decision) {
  let count = 0;
  for (let waited = 0; waited < ASKED_MS && !stage.isOver; waited += LOOK_MS) {
    const asked = (await stage.installation.inbox()).find(({ request }) => request.text.includes(stage.marker));
    if (asked !== undefined) {
      mustNot(stage.didRun(), 'NOT DECIDED, AND THE COMMAND RAN');
      await decision(asked.id);
      count += 1;
    }
    await sleep(LOOK_MS);
  }
  return count > 0;
}

const acpCase = ({ name, title, serverCommandOf, decision, isDenied = false }) => ({
  name,
  title,
  // A denial ends the turn of some agents.
  turns: isDenied ? 1 : 2,
  async arrange({ work, installation, ...context }, prepared) {
    const { name: harness, env } = installation.installed ?? {};
    const words = ['hooks', 'remove', harness, '--user'];
    const done = await runProgram(APES, words, { cwd: work, env, timeoutMs: 30_000 });
    mustSee(done.status === 0, `apes ${words.join(' ')}: ${done.err.trim()}`);
    const agent = serverCommandOf(prepared, { work, ...context });
    return {
      ...prepared,
      file: process.execPath,
      argv: [EDITOR, work, 'run the tripwire', APES, 'acp', '--timeout', '1m', '--', ...agent],
    };
  },
  async next(stage, _request, turn) {
    if (turn > 0) {
      must(isDenied || stage.didRun(), 'approved, and the command did not run');
      return say('done');
    }
    stage.wasAsked = decideInInbox(stage, (id) => decision(stage, id));
    return shell(stage.command);
  },
  async check(stage) {
    if (isDenied) mustNot(stage.didRun(), 'DENIED, AND THE COMMAND RAN');
    mustSee(await stage.wasAsked, 'the agent sent no request for the command');
  },
});

/** @param {(prepared: any, context: any) => readonly string[]} serverCommandOf returns the program and arguments that start the agent as a server */
export const acpCases = (serverCommandOf) => [
  acpCase({
    name: 'acp',
    title: 'behind apes acp, without hooks: a command waits, and runs when it is approved',
    serverCommandOf,
    decision: (stage, id) => stage.installation.approve(id),
  }),
  acpCase({
    name: 'acp-denied',
    title: 'behind apes acp, without hooks: a command that is denied does not run',
    serverCommandOf,
    decision: (stage, id) => stage.installation.deny(id, 'not-on-my-watch-77'),
    isDenied: true,
  }),
];
