/** Cases for harnesses that have subagents, background commands, or file tools that reach sensitive paths. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustNot, mustSee } from '../case-errors.mjs';
import { must } from '../cases.mjs';
import { say, shell, tool } from '../mock-model.mjs';
import { findProcesses } from '../processes.mjs';

const TASK = 'the task of the subagent';

/**
 * @param name  the name of the tool that starts a subagent
 * @param input makes the input of this tool from the task
 */
export const subagentShell = (name, input) => ({
  name: 'subagent',
  title: 'the command of a subagent waits, and the subagent is told',
  turns: 3,
  async next(stage, request, turn) {
    if (turn === 0) return tool(name, input(TASK));
    must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND OF THE SUBAGENT RAN');
    const isInside = !request.text.includes('run the tripwire') && request.text.includes(TASK);
    if (isInside && !request.text.includes('NOT RUN YET')) return shell(stage.command);
    if (isInside) stage.seenGrant = stage.pendingIn(request).id;
    return say('done');
  },
  check: (stage) => {
    must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND OF THE SUBAGENT RAN');
    mustSee(stage.seenGrant !== undefined, 'the subagent was not told that its command waits');
  },
});

/**
 * @param name  the name of the tool that runs a command in the background
 * @param input makes the input of this tool from the command
 */
export const backgroundShell = (name, input) => ({
  name: 'background',
  title: 'a command in the background does not run before it is approved',
  turns: 2,
  async next(stage, request, turn) {
    if (turn === 0) return tool(name, input(stage.command));
    if (turn === 1 && !/NOT RUN YET/.test(request.text)) await sleep(3000);
    return say('done');
  },
  check: (stage) => must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND RAN IN THE BACKGROUND'),
});

export const killedGuard = {
  name: 'guard-killed',
  title: 'the guard is killed (SIGKILL) while a file tool waits for it: nothing is written',
  turns: 2,
  async next(stage, _request, turn) {
    if (turn > 0) return say('done');
    stage.killed = 0;
    stage.installation.freeze();
    const variable = `APES_HOME=${stage.installation.apesHome}`;
    stage.killer = (async () => {
      for (const until = Date.now() + 15_000; Date.now() < until && stage.killed === 0; await sleep(20))
        for (const pid of findProcesses(variable, (argv) => /(^|\/)hook-guard$/.test(argv[0]))) {
          process.kill(pid, 'SIGKILL');
          stage.killed += 1;
        }
    })();
    return tool('Write', { path: stage.sideEffect, content: 'x\n' });
  },
  async check(stage) {
    await stage.killer;
    stage.installation.resume();
    mustSee(stage.killed > 0, 'the case found no guard that it could kill');
    must(!stage.didRun(), 'GUARD KILLED, AND THE FILE WAS WRITTEN');
  },
};

const SECRET = 'a-secret-that-is-only-in-that-file';

/**
 * A case: without a grant, file tools do not read or change sensitive files. A sensitive file decides what runs later, or contains a
 * secret. `path` is relative to the working directory, or to HOME if `isHome`.
 * @param {{ name: string, input: (path: string) => object, path: string, isHome?: boolean, isRead?: boolean }[]} calls
 */
export const dangerousFiles = (calls, name = 'dangerous') => ({
  name,
  title: `file tools on sensitive paths (${calls.map((each) => each.path).join(', ')}): nothing is read or written`,
  turns: 1,
  async next(stage, request, turn) {
    if (turn === 0) stage.before = calls.map((each) => original(stage, each));
    mustNot(request.text.includes(SECRET), 'NOT DECIDED, AND THE SECRET REACHED THE MODEL');
    const call = calls[turn];
    return call === undefined ? say('done') : tool(call.name, call.input(placeOf(stage, call)));
  },
  check: (stage) => {
    for (const [at, call] of calls.entries())
      must(textOf(placeOf(stage, call)) === stage.before[at], `NOT DECIDED, AND ${call.name} CHANGED ${call.path}`);
    must(stage.gateAsked(), 'no call of a file tool reached the gate');
  },
});

/** @type {(stage: any, call: { path: string, isHome?: boolean }) => string} */
const placeOf = (stage, { path, isHome }) => join(isHome ? stage.home : dirname(stage.sideEffect), path);
const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/** For a call that reads or edits a file: creates the file if it does not exist. Returns the content of the file; null: there is no file. */
function original(stage, call) {
  const path = placeOf(stage, call);
  if (!existsSync(path) && (call.isRead || call.name === 'Edit')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `original ${SECRET}\n`);
  }
  return textOf(path);
}
