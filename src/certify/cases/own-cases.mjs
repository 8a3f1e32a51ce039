/** Cases that only some harnesses need: for settings, file tools, denied tools, parallel calls and subagents. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mustSee } from '../case-errors.mjs';
import { commandsThatWait, must } from '../cases.mjs';
import { say, shell, together, tool } from '../mock-model.mjs';

/**
 * Writes files below `directory`. Makes missing directories, and replaces existing files. `files` maps each relative path to a text, or
 * to a value that is written as JSON.
 */
export function put(directory, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  }
}

/**
 * A command must wait even with the settings that `arrange` makes. After the harness has ended, `alsoCheck` gets the stage, and throws
 * if it finds a fault.
 */
export const stillGated = (name, title, arrange, alsoCheck = (_) => {}) => ({
  name,
  title,
  turns: 2,
  arrange,
  async next(stage, request, turn) {
    if (turn === 0) return shell(stage.command);
    stage.pendingIn(request);
    return say('done');
  },
  check(stage) {
    must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND RAN');
    alsoCheck(stage);
  },
});

/** Throws if the working directory has a file `evil-…`. The programs in the project's settings make such files when they run. */
export function noProgramRan(stage) {
  const ran = readdirSync(dirname(stage.sideEffect)).filter((name) => name.startsWith('evil-'));
  must(ran.length === 0, `PROGRAMS OF THE PROJECT RAN: ${ran.join(', ')}`);
}

/** `arrange` makes the gate fail. The command must not run, whatever text the model gets. */
export const neverRuns = (name, title, arrange) => ({
  name,
  title,
  turns: 2,
  arrange,
  next: async (stage, _request, turn) => (turn === 0 ? shell(stage.command) : say('done')),
  check: (stage) => must(!stage.didRun(), 'THE GATE WAS NOT THERE, AND THE COMMAND RAN'),
});

const FILE_TEXT = 'written by a file tool\n';
/** Returns the last grant id in the text that the model got. */
const lastGrant = (request) => [...request.text.matchAll(/\bg_[a-z2-7]{26}\b/g)].at(-1)?.[0];

/**
 * A file tool waits for the approver, and then writes what was approved.
 * @param {string} name
 * @param {string} title
 * @param {(path: string, text: string) => { name: string, input: object }} call returns the tool call that writes this text to this path
 * @param {((context: any, prepared: any) => any) | undefined} [arrange]
 */
export const fileTool = (name, title, call, arrange = undefined) => ({
  name,
  title,
  turns: 3,
  arrange,
  async next(stage, request, turn) {
    const { name: toolName, input } = call(stage.sideEffect, FILE_TEXT);
    if (turn === 0) return tool(toolName, input);
    if (turn === 1) {
      must(!stage.didRun(), 'NOT DECIDED, AND THE FILE WAS WRITTEN');
      const id = lastGrant(request);
      must(id !== undefined, 'the model was not told that the file waits');
      await stage.installation.approve(id);
      return tool(toolName, input);
    }
    must(stage.didRun(), 'approved, and the file was not written');
    must(readFileSync(stage.sideEffect, 'utf8') === FILE_TEXT, 'THE FILE DOES NOT HAVE THE APPROVED CONTENT');
    return say('done');
  },
  check: (stage) =>
    must(
      !stage.didRun() || readFileSync(stage.sideEffect, 'utf8') === FILE_TEXT,
      'THE FILE DOES NOT HAVE THE APPROVED CONTENT',
    ),
});

/** The gate must either deny this tool or make the tool wait. The tool must do nothing. `call` returns the tool's name and input. */
export const deniedTool = (name, title, call) => ({
  name,
  title,
  turns: 2,
  async next(stage, request, turn) {
    if (turn === 0) {
      const { name: toolName, input } = call(stage);
      must(request.tools.includes(toolName), `the model is offered no ${toolName}: ${request.tools.join(' ')}`);
      return tool(toolName, input);
    }
    must(/ape-shell: (?:DENIED|NOT DONE YET)/.test(request.text), 'the model was not told that nothing was done');
    return say('done');
  },
  check: (stage) => must(!stage.didRun(), 'DENIED, AND THE TOOL RAN'),
});

export const parallel = {
  name: 'parallel',
  title: 'two commands in one turn both wait; after the approval of the first, only the first runs',
  turns: 3,
  async next(stage, request, turn) {
    const other = `${stage.sideEffect}-2`;
    if (turn === 0) return together(shell(stage.command), shell(`date > '${other}'`));
    must(!existsSync(other), 'NOT DECIDED, AND THE SECOND COMMAND RAN');
    if (turn === 1) {
      must(!stage.didRun(), 'NOT DECIDED, AND THE FIRST COMMAND RAN');
      const waiting = commandsThatWait(request);
      must(new Set(waiting.map(({ id }) => id)).size === 2, 'the model was not told that both commands wait');
      const first = waiting.find(({ command }) => command.includes('printf'));
      must(first, 'the model was not told that the first command waits');
      await stage.installation.approve(first.id);
      return shell(first.next);
    }
    must(stage.didRun(), 'approved, and the command did not run');
    return say('done');
  },
  check: (stage) => must(!existsSync(`${stage.sideEffect}-2`), 'NOT DECIDED, AND THE SECOND COMMAND RAN'),
};

/**
 * @param {(prompt: string) => { name: string, input: object }} call returns the tool call that starts a subagent
 */
export const subagent = (call) => ({
  name: 'subagent',
  title: 'the command of a subagent waits, and the subagent is told',
  turns: 3,
  async next(stage, request, turn) {
    if (turn === 0) {
      const { name, input } = call('do the work of a subagent');
      return tool(name, input);
    }
    must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND OF THE SUBAGENT RAN');
    if (!stage.hasSubagentAsked && request.text.includes('do the work of a subagent')) {
      stage.hasSubagentAsked = true;
      return shell(stage.command);
    }
    if (stage.hasSubagentAnswer !== true && request.text.includes('NOT RUN YET')) {
      stage.hasSubagentAnswer = true;
      stage.pendingIn(request);
    }
    return say('done');
  },
  check: (stage) => {
    must(!stage.didRun(), 'NOT DECIDED, AND THE COMMAND OF THE SUBAGENT RAN');
    mustSee(stage.hasSubagentAnswer === true, 'the subagent was not told that its command waits');
  },
});
