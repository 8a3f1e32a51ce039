/**
 * The cases that are tried with every harness. A case scripts the turns of the model, and acts as the approver. The command that the model
 * gives to its shell tool (`CaseStage.command`) makes a file. The case looks for this file: the output of a harness does not prove that the
 * command ran.
 *
 * The command prints `42` from `0x2a`. The text of the command does not contain `42`, so only output can contain `42`. The command has no
 * `$(…)`: gemini itself refuses `$(…)`.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { must, mustNot, mustSee } from './case-errors.mjs';
import { say, shell, tool } from './mock-model.mjs';
import { findProcesses } from './processes.mjs';

export { must } from './case-errors.mjs';

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} title
 * @property {number} turns the least number of turns of the model; with fewer turns, the outcome is "not seen"
 * @property {(stage: CaseStage, request: any, turn: number) => Promise<object>} next returns the model's next turn; `turn` counts from 0
 * @property {boolean} [usesMcp] whether the harness gets `apes mcp` as an MCP server
 * @property {(context: any, prepared: any) => any} [arrange] called after the gate was installed and before the harness starts; can return a
 *   changed `prepared`
 * @property {boolean} [mayHang] true: the case can pass even if the harness does not end in time
 * @property {Record<string, string>} [variables] added to the environment of the harness
 * @property {(stage: CaseStage, place: any) => Promise<readonly string[] | void>} [prepare] called last before the harness starts; returns
 *   further arguments for the harness
 * @property {readonly string[]} [only] the harnesses with which the case is tried; default: all
 * @property {(stage: CaseStage) => unknown} [check] called after the harness has ended. If it throws `NotSeen`, the outcome is "not seen".
 *   If it throws any other error, even a `CaseFault`, the outcome is "open"
 * @property {(harness: any) => string | null | undefined} [whyNot] why the case does not apply to this harness; null or undefined: it applies
 * @property {(harness: any) => readonly Case[]} [variants] returns cases that are tried instead of this case; the worst outcome counts
 * @property {(context: any, start: (prepared: any) => any) => unknown} [before] called before the gate is installed
 * @property {(context: any, prepared: any) => unknown} [look] if present, the harness is not started, and `look` is called instead. `look`
 *   can return a note, and throws if it finds a fault
 * @property {number} [timeoutMs] after this time the harness is killed; default: the time in the harness's `certify.mjs`, or 300 s
 */

/** @type {Case[]} */
export const CASES = [
  {
    name: 'pending',
    title: 'a command waits: the model makes the one call that waits, and gets the output after the approval',
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
    title: 'a command is denied: the reason reaches the model',
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
    title: 'a command that a standing grant covers runs at once',
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
    title: 'the gate is killed (SIGKILL) while it asks the server: nothing runs',
    turns: 2,
    // opencode 1.18 waits for ever after its shell was killed. This case only checks that the command does not run.
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
    title: 'the server cannot be asked: nothing runs, and the model is told that nothing ran',
    turns: 2,
    // Port 1 is reserved, so no server listens at this port.
    variables: { APES_SERVER_URL: 'http://127.0.0.1:1' },
    async next(stage, request, turn) {
      if (turn === 0) return shell(stage.command);
      must(/nothing ran/.test(request.text), 'the model was not told that nothing ran');
      return say('done');
    },
    check: (stage) => mustNot(stage.didRun(), 'SERVER DOWN, AND THE COMMAND RAN'),
  },
];

/** Like the case `pending`, but the model calls the tools of `apes mcp` instead of the harness's shell tool. */
CASES.push({
  name: 'mcp',
  title: 'apes mcp: the tool run is pending, the tool grants_run waits and returns the output after the approval',
  turns: 3,
  usesMcp: true,
  async next(stage, request, turn) {
    const call = (name, input) => {
      const names = [`mcp__apes__${name}`, `mcp_apes_${name}`, `apes_${name}`, `apes__${name}`, `apes-${name}`];
      const found = names.find((each) => request.tools.includes(each));
      if (found !== undefined) return tool(found, input);
      // qwen does not list the tools of MCP servers. It has one tool that calls these tools.
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
 * Tests an approval, a standing grant and a denial in one session of the harness. `npm test` runs this case instead of `pending`, `covered`
 * and `denied`: each start of a harness takes long.
 * @type {Case}
 */
export const ONE_SESSION = {
  name: 'session',
  title:
    'in one session: a command waits and is approved, a covered command runs at once, a third command is denied with a reason',
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
/** How long the harness may still run after the gate was killed. Then the harness is killed, too. */
const HANGING_MS = 12_000;

/** Sends SIGKILL to a process; returns false if the process has already ended. */
function kill(pid) {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * Waits up to 40 s for a process of the gate. Kills this process, and each process of the gate that it finds in the next 1.5 s. Stops
 * earlier if the case is over. Returns the number of killed processes.
 */
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

const WAITING_TEXT = /command: +(.+?)(?:\\n|\n)[\s\S]*?next: +(\S+ grants run (g_[a-z2-7]{26}) --wait)/;

/**
 * Returns each waiting command in a request to the model, with the next call and the grant's id. If a harness shows results as JSON, a line
 * of `text` ends with the two characters `\n`. Text before the first `NOT RUN YET` can have other lines with `command:`, and is ignored.
 * @param {{ text: string }} request
 */
export const commandsThatWait = ({ text }) =>
  text
    .split('NOT RUN YET')
    .slice(1)
    .flatMap((block) => {
      const [, command, next, id] = WAITING_TEXT.exec(block) ?? [];
      return command === undefined || next === undefined || id === undefined ? [] : [{ command, next, id }];
    });

/** The state of one case during a trial: its directories, its command with side effect and output, and the approver's decisions. */
export class CaseStage {
  /** How many processes of the gate were killed or stopped. */
  victims = Promise.resolve(0);
  /** @type {(() => Promise<void>) | undefined} called after the harness has ended */ afterwards;
  /** Whether a subagent has asked the model for a turn. */
  hasSubagentAsked = false;

  /** @type {string | null} a remark for the report; only used if the outcome is "holds" */ note = null;

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
    /** Aborted when the case no longer needs the harness; then the harness is killed. */
    this.enough = new AbortController();
  }

  didRun() {
    return existsSync(this.sideEffect);
  }

  /** Whether nothing was approved since this case began. */
  isUndecided() {
    return this.installation.approvals === this.approvedBefore;
  }

  /** Whether the gate has written to the journal since this case began. */
  gateAsked() {
    return this.installation.journal().length > this.journalBefore;
  }

  /** Returns the grant's id and the next call from the latest `NOT RUN YET` text that the model got. */
  pendingIn(request) {
    mustNot(this.didRun(), 'NOT DECIDED, AND THE COMMAND RAN');
    // The last match: `request.text` is the whole conversation, with the earlier texts.
    const next = [...request.text.matchAll(/next:\s+(\S+ grants run (g_[a-z2-7]{26}) --wait)/g)].at(-1);
    must(request.text.includes('NOT RUN YET') && next !== undefined, 'the model was not told that the command waits');
    return { id: next[2], next: next[1] };
  }

  /** Starts a decision. If the decision fails, the case ends with the error of the decision. */
  decide(decision) {
    this.decisions.push(decision().catch((error) => error));
  }
}
