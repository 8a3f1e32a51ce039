/** One case with one harness: a fresh HOME and working directory, a scripted model, and a verdict. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CaseStage } from './cases.mjs';
import { DIST } from './installation.mjs';
import { startMockModel, stringsIn } from './mock-model.mjs';
import { runProgram } from './processes.mjs';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const HARNESS_MS = 180_000;
const TAIL = 400;

/**
 * @param {any} harness how one harness is driven: `harnesses/*.mjs`. `toldInstead` gives the calls that its gate asks for in the
 *   place of those it denied; they are no turns of the case; `turns` tells of cases that end sooner there
 * @param {{ name: string, turns: number, [more: string]: any }} tried
 * @param {{ installation: import('./installation.mjs').Installation, agent: { directory: string | undefined, version: string, isPinned: boolean }, node24?: string | undefined }} place
 * @returns {Promise<{ fault: string | null, note: string | null, seconds: number, requests: number }>}
 */
export async function runCase(harness, tried, { installation, agent, node24 }) {
  const marker = `${harness.name}-${tried.name}`;
  const home = join(installation.directory, marker, 'home');
  const work = join(installation.directory, marker, 'work');
  for (const each of [home, work]) mkdirSync(each, { recursive: true });
  const stage = new CaseStage(installation, work, marker, home);
  let denied = 0;
  const model = await startMockModel((request, turn) => {
    const instead = harness.toldInstead?.(request) ?? null;
    if (instead === null) return tried.next(stage, request, turn - denied);
    denied += 1;
    return instead;
  });
  let cleanUp = () => {};
  const startedMs = Date.now();
  try {
    const context = {
      agent,
      home,
      work,
      url: model.url,
      node24,
      path: PATH,
      installation,
      mcp: tried.usesMcp ? mcpServer(installation) : null,
    };
    const { file, argv, env, check, ...more } = await harness.prepare(context);
    cleanUp = more.cleanUp ?? cleanUp;
    const base = { HOME: home, PATH, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...installation.variables };
    const done = await runProgram(file, argv, {
      cwd: work,
      env: { ...base, ...tried.variables, ...env },
      timeoutMs: harness.timeoutMs ?? HARNESS_MS,
      enough: stage.enough.signal,
    });
    stage.isOver = true;
    const fault = await judge(
      stage,
      { ...tried, turns: (harness.turns?.[tried.name] ?? tried.turns) + denied },
      model,
      done,
      check,
    );
    const note = fault === null && done.isTimedOut ? 'the harness hung afterwards' : null;
    return { fault, note, seconds: (Date.now() - startedMs) / 1000, requests: model.requests.length };
  } finally {
    stage.isOver = true;
    cleanUp();
    await model.stop();
  }
}

async function judge(stage, tried, model, done, check) {
  const decisions = await Promise.all(stage.decisions);
  try {
    // First of all whether something ran: whatever else went wrong, that is what must be told.
    if (tried.check) await tried.check(stage);
    for (const fault of [...model.faults, ...decisions.filter((each) => each instanceof Error)]) throw fault;
    if (done.isTimedOut && !tried.mayHang) throw new Error('the harness did not end in time');
    if (model.turns() < tried.turns && !done.isTimedOut)
      throw new Error(`the harness ended after ${model.turns()} of ${tried.turns} turns (status ${done.status})`);
    if (!done.isTimedOut) check?.();
    return null;
  } catch (error) {
    const more = process.env.TRIPWIRE_VERBOSE
      ? `\n${done.out.slice(-TAIL)}\n${done.err.slice(-TAIL)}\n${lastTold(model.requests.at(-1)?.body)}`
      : '';
    return `${error.message}${more}`;
  }
}

/** How a client is told to start `apes mcp`: the environment by name, since not every client hands its own on. */
const mcpServer = (installation) => ({
  command: join(DIST, 'bin/apes'),
  args: ['mcp'],
  env: { ...installation.variables },
});

/** What the model was told last, without the tools it was offered. */
const lastTold = (body) => stringsIn(body?.messages ?? body?.input ?? body?.contents).slice(-3 * TAIL);
