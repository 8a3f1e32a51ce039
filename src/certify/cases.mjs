/**
 * The cases that are tried with every harness. Each case scripts the model, plays the approver, and checks a side effect: a file
 * that the command makes. So "it did not run" is observed, and not taken from what the harness says.
 *
 * A command prints a word that its text does not contain (42, from 0x2a), which tells its output from its text. It has no
 * `$(…)`, because gemini refuses that by itself.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say, shell, tool } from './mock-model.mjs';
import { findProcesses } from './processes.mjs';
import { must, mustNot, mustSee } from './what-is-seen.mjs';

export { must } from './what-is-seen.mjs';

/**
 * @typedef {object} Case `next` gives the model's next turn; `check` throws if at the end a promise does not hold.
 * @property {string} name
 * @property {string} title
 * @property {number} turns
 * @property {(stage: CaseStage, request: any, turn: number) => Promise<object>} next
 * @property {boolean} [usesMcp]
 * @property {(context: any, prepared: any) => any} [arrange] called after the gate was installed, before the harness starts
 * @property {boolean} [mayHang]
 * @property {Record<string, string>} [variables]
 * @property {(stage: CaseStage, place: any) => Promise<readonly string[] | void>} [prepare] makes what the case needs; returns further words for the command line
 * @property {readonly string[]} [only] the harnesses with which it is tried; default: all
 * @property {(stage: CaseStage) => unknown} [check]
 * @property {(harness: any) => string | null | undefined} [whyNot] why it does not apply to a harness
 * @property {(harness: any, base: CaseBase) => readonly Case[]} [variants] all of them are tried, and the worst result counts
 * @property {(context: any, prepared: any) => unknown} [look] called in place of driving the harness; throws if it finds a fault
 * @property {number} [timeoutMs]
 */

/** @typedef {Omit<Case, 'variants'>} CaseBase */

/** @type {Case[]} */
export const CASES = [
  {
    name: 'pending',
    title: 'a command waits: the model is told, makes one waiting call, and gets the output after the approval',
    turns: 3,
    async next(stage, request, turn) {
      if (turn === 0) return shell(stage.command);
      if (turn === 1) {
        const { id, next } = stage.pendingIn(request);
        setTimeout(() => stage.decide(() => stage.installation.approve(id)), 1500);
        return shell(next);
      }
      must(stage.didRun(), 'approved, and the command did not run');
      must(request.text.includes(stage.output), 'the output did not reach the model');
      return say('done');
    },
  },
  {
    name: 'denied',
    title: 'denied: the reason reaches the model',
    turns: 3,
    async next(stage, request, turn) {
      if (turn === 0) return shell(stage.command);
      if (turn === 1) {
        const { id, next } = stage.pendingIn(request);
        setTimeout(() => stage.decide(() => stage.installation.deny(id, 'not-on-my-watch-77')), 1500);
        return shell(next);
      }
      mustNot(stage.didRun(), 'DENIED, AND THE COMMAND RAN');
      must(request.text.includes('not-on-my-watch-77'), 'the reason did not reach the model');
      return say('done');
    },
    check: (stage) => mustNot(stage.didRun(), 'DENIED, AND THE COMMAND RAN'),
  },
  {
    name: 'covered',
    title: 'a standing grant: runs at once',
    turns: 3,
    async next(stage, request, turn) {
      if (turn === 0) return shell(stage.command);
      if (turn === 1) {
        await stage.installation.approve(stage.pendingIn(request).id, 'always');
        return shell(stage.command);
      }
      must(request.text.includes(stage.output), 'covered, and the output did not reach the model');
      must(stage.didRun(), 'covered, and the command did not run');
      return say('done');
    },
  },
  {
    name: 'killed',
    title: 'the gate is killed (SIGKILL) while it asks: nothing runs',
    turns: 2,
    // The case says nothing about what a harness does after its shell was killed; opencode 1.18 waits for ever.
    mayHang: true,
    async next(stage, _request, turn) {
      if (turn > 0) return say('done');
      stage.installation.freeze();
      stage.victims = killGate(stage).finally(() => {
        stage.installation.resume();
        setTimeout(() => stage.enough.abort(), HANGING_MS).unref();
      });
      return shell(stage.command);
    },
    async check(stage) {
      const count = await stage.victims;
      mustNot(stage.didRun(), 'GATE KILLED, AND THE COMMAND RAN');
      mustSee(count > 0, 'no gate process was seen to kill');
    },
  },
  {
    name: 'down',
    title: 'the server cannot be asked: nothing runs, and the model is told',
    turns: 2,
    // Port 1 is reserved, so no server listens there.
    variables: { APES_SERVER_URL: 'http://127.0.0.1:1' },
    async next(stage, request, turn) {
      if (turn === 0) return shell(stage.command);
      must(/nothing ran/.test(request.text), 'the model was not told that nothing ran');
      return say('done');
    },
    check: (stage) => mustNot(stage.didRun(), 'SERVER DOWN, AND THE COMMAND RAN'),
  },
];

/** The first case by `apes mcp`: the model reads the text of its tools, not of the shell tool. */
CASES.push({
  name: 'mcp',
  title: 'apes mcp: run is pending, grants_run waits, approved meanwhile, output',
  turns: 3,
  usesMcp: true,
  async next(stage, request, turn) {
    const call = (name, input) => {
      const names = [`mcp__apes__${name}`, `mcp_apes_${name}`, `apes_${name}`, `apes__${name}`, `apes-${name}`];
      const found = names.find((each) => request.tools.includes(each));
      if (found !== undefined) return tool(found, input);
      // qwen does not list the tools of MCP servers; it has one tool that calls them.
      must(
        request.tools.includes('tool_call'),
        `the model is offered no tool ${name} of apes: ${request.tools.join(' ')}`,
      );
      return tool('tool_call', { name: names[0], arguments: input });
    };
    if (turn === 0) return call('run', { command: stage.command });
    if (turn === 1) {
      mustNot(stage.didRun(), 'NOT DECIDED, AND THE COMMAND RAN');
      const id = /g_[a-z2-7]{26}/.exec(request.text)?.[0];
      must(id !== undefined && request.text.includes('NOT RUN YET'), 'the model was not told that the command waits');
      must(request.text.includes(`grants_run with {`), 'the model was not told the next call');
      setTimeout(() => stage.decide(() => stage.installation.approve(id)), 1500);
      return call('grants_run', { id });
    }
    must(stage.didRun(), 'approved, and the command did not run');
    must(request.text.includes(stage.output), 'the output did not reach the model');
    return say('done');
  },
});

/**
 * Every decision of an approver in one session of the harness: for `npm test`, because each start of a harness takes long.
 * @type {Case}
 */
export const ONE_SESSION = {
  name: 'session',
  title:
    'in one session: a command waits and is approved, a covered one runs at once, a third one is denied with a reason',
  turns: 6,
  async next(stage, request, turn) {
    switch (turn) {
      case 0:
        return shell(stage.command);
      case 1: {
        const { id, next } = stage.pendingIn(request);
        setTimeout(() => stage.decide(() => stage.installation.approve(id, 'always')), 1500);
        return shell(next);
      }
      case 2:
        must(stage.didRun(), 'approved, and the command did not run');
        must(request.text.includes(stage.output), 'the output did not reach the model');
        rmSync(stage.sideEffect);
        return shell(stage.command);
      case 3:
        must(stage.didRun(), 'covered, and the command did not run');
        rmSync(stage.sideEffect);
        return shell(`${stage.command} again`);
      case 4: {
        const { id, next } = stage.pendingIn(request);
        setTimeout(() => stage.decide(() => stage.installation.deny(id, 'not-on-my-watch-77')), 1500);
        return shell(next);
      }
      default:
        must(request.text.includes('not-on-my-watch-77'), 'the reason did not reach the model');
        return say('done');
    }
  },
  check: (stage) => mustNot(stage.didRun(), 'DENIED, AND THE COMMAND RAN'),
};

const WATCH_MS = 40_000;
const AFTER_FIRST_MS = 1500;
const LOOK_MS = 50;
/** How long a harness may take to go on after its gate was killed. */
const HANGING_MS = 12_000;

/** Kills a process that may have ended by itself meanwhile; returns whether it was there. */
function kill(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Kills every launcher of the gate that appears, also at a second try of the harness; returns how many. */
async function killGate(stage) {
  const variable = `APES_HOME=${stage.installation.apesHome}`;
  const fits = (argv) =>
    (/(^|\/)ape-shell$/.test(argv[0]) && argv.join(' ').includes(stage.marker)) ||
    /(^|\/)hook-guard$/.test(argv[0]) ||
    (/(^|\/)apes$/.test(argv[0]) && argv[1] === 'hooks' && argv[2] === 'gate');
  let count = 0;
  let until = Date.now() + WATCH_MS;
  while (Date.now() < until && !stage.isOver) {
    for (const pid of findProcesses(variable, fits)) {
      if (!kill(pid)) continue;
      if (count++ === 0) until = Date.now() + AFTER_FIRST_MS;
    }
    await sleep(LOOK_MS);
  }
  return count;
}

const TOLD = /command: +(.+?)(?:\\n|\n)[\s\S]*?next: +(\S+ grants run (g_[a-z2-7]{26}) --wait)/;

/**
 * Each command that `text` tells the model to wait for, with the next call and the grant. If a harness shows results as JSON, a
 * line ends in two characters, `\n`. Text before ours may also have lines with `command:`.
 * @param {{ text: string }} request
 */
export const commandsThatWait = ({ text }) =>
  text
    .split('NOT RUN YET')
    .slice(1)
    .flatMap((block) => {
      const [, command, next, id] = TOLD.exec(block) ?? [];
      return command === undefined || next === undefined || id === undefined ? [] : [{ command, next, id }];
    });

/** The state of one case: where it runs, what it looks for, and the approver's decisions. */
export class CaseStage {
  /** How many gates were killed. */
  victims = Promise.resolve(0);
  /** @type {(() => Promise<void>) | undefined} */ afterwards;
  /** Whether a subagent has had its turn. */
  isAsked = false;

  /** @type {string | null} a remark for the report, if the case holds */ note = null;

  /** @type {any} the context with which the harness was prepared */ context = null;

  constructor(installation, work, marker, home = work) {
    this.home = home;
    this.installation = installation;
    this.journalBefore = installation.journal().length;
    this.approvedBefore = installation.approvals;
    this.marker = marker;
    this.sideEffect = join(work, `ran-${marker}`);
    this.command = `date > ran-${marker} && printf 'output-%d-%s' 0x2a ${marker}`;
    this.output = `output-42-${marker}`;
    this.decisions = [];
    this.isOver = false;
    this.enough = new AbortController();
  }

  didRun() {
    return existsSync(this.sideEffect);
  }

  /** Whether nothing was approved since this case began. */
  isUndecided() {
    return this.installation.approvals === this.approvedBefore;
  }

  /** Whether anything of this case came to the gate. */
  gateAsked() {
    return this.installation.journal().length > this.journalBefore;
  }

  /** The grant and the next call, as the text that the model got names them. */
  pendingIn(request) {
    mustNot(this.didRun(), 'NOT DECIDED, AND THE COMMAND RAN');
    // The last one: the conversation also has the earlier texts.
    const next = [...request.text.matchAll(/next:\s+(\S+ grants run (g_[a-z2-7]{26}) --wait)/g)].at(-1);
    must(request.text.includes('NOT RUN YET') && next !== undefined, 'the model was not told that the command waits');
    return { id: next[2], next: next[1] };
  }

  decide(decision) {
    this.decisions.push(decision().catch((error) => error));
  }
}
