/** Tries one case with one harness, in a fresh HOME and working directory with a scripted model, and decides on the outcome. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CaseFault, NotSeen, Opening } from './case-errors.mjs';
import { CaseStage } from './cases.mjs';
import { DIST } from './installation.mjs';
import { startMockModel, stringsIn } from './mock-model.mjs';
import { runProgram } from './processes.mjs';

const HARNESS_MS = 300_000;
const TAIL = 400;

/** The placeholder directory of an agent from PATH. `withFoundProgram` replaces a path below this directory by the agent's program. */
export const IN_PATH = '/ape-shell-agent-in-path';

/**
 * See `CellOutcome` of certificate.ts.
 * @typedef {'holds' | 'open' | 'failed' | 'not seen' | 'n.a.'} CaseOutcome
 */

/**
 * `fault`: null if there is no fault. `note`: null if there is no note. `requests`: how many requests the harness sent to the model.
 * @typedef {{ outcome: CaseOutcome, fault: string | null, note: string | null, seconds: number, requests: number }} CaseResult
 */

/**
 * See the interface `Agent` of certify.ts.
 * @typedef {{ directory: string | undefined, version: string, isPinned: boolean, program?: string }} Agent
 */

/**
 * `node24`: the path of a Node 24, for a harness that needs this version.
 * @typedef {{ installation: import('./installation.mjs').TrialInstallation, agent: Agent, node24?: string | undefined }} Place
 */

/** @type {readonly string[]} the worst outcome first */
const BY_WEIGHT = ['open', 'failed', 'not seen', 'holds', 'n.a.'];

/**
 * Runs the case, or each of its variants. If there are several variants, the worst outcome counts; `seconds` and `requests` are sums.
 * @param {any} harness from `certify.mjs` in the harness's folder.
 *   `turnAfterDenial`: a denial of the gate can demand another call. The function returns a turn with all demanded calls, or null if
 *   the last turn had no such denial. The returned turn does not count as a turn of the case.
 *   `turns`: the number of turns, by the name of the case. Contains only cases that have fewer turns than usual with this harness
 * @param {{ name: string, turns: number, [more: string]: any }} tried a `Case`; its `before`, if any, runs before the gate is installed
 * @param {Place} place
 * @returns {Promise<CaseResult>}
 */
export async function runCase(harness, tried, place) {
  const variants = tried.variants?.(harness) ?? [tried];
  /** @type {any[]} */
  const results = [];
  for (const each of variants) results.push({ ...(await runOne(harness, each, place)), title: each.title });
  results.sort((one, other) => BY_WEIGHT.indexOf(one.outcome) - BY_WEIGHT.indexOf(other.outcome));
  const [worst] = results;
  const sum = (field) => results.reduce((total, each) => total + each[field], 0);
  const isSame = results.length === 1;
  const joined = (field) =>
    isSame
      ? worst[field]
      : results
          .filter((each) => each[field] !== null)
          .map((each) => `${each.title}: ${each[field]}`)
          .join('; ') || null;
  return {
    outcome: worst.outcome,
    fault: joined('fault'),
    note: joined('note'),
    seconds: sum('seconds'),
    requests: sum('requests'),
  };
}

/** @param {Place} place */
async function runOne(harness, tried, place) {
  const { installation, agent, node24 } = place;
  const startedMs = Date.now();
  installation.caseCount = (installation.caseCount ?? 0) + 1;
  const marker = `${harness.name}-${tried.name}-${installation.caseCount}`;
  const home = join(installation.directory, marker, 'home');
  const work = join(installation.directory, marker, 'work');
  for (const each of [home, work]) mkdirSync(each, { recursive: true });
  const stage = new CaseStage(installation, work, marker, home);
  let deniedTurns = 0;
  const model = await startMockModel((request, turn) => {
    const demanded = harness.turnAfterDenial?.(request) ?? null;
    if (demanded === null) return tried.next(stage, request, turn - deniedTurns);
    deniedTurns += 1;
    return demanded;
  });
  let cleanUp = () => {};
  let outcome;
  try {
    outcome = await play();
  } catch (error) {
    outcome = verdict(stage, error);
  } finally {
    stage.isOver = true;
    installation.resume();
    cleanUp();
    await model.stop();
  }
  return { note: null, ...outcome, seconds: (Date.now() - startedMs) / 1000, requests: model.requests.length };

  async function play() {
    const context = {
      agent,
      home,
      work,
      url: model.url,
      node24,
      path: installation.path,
      installation,
      sideEffect: stage.sideEffect,
      mcp: tried.usesMcp ? mcpServer(installation) : null,
    };
    stage.context = context;
    const base = { HOME: home, PATH: installation.path, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...installation.variables };
    await tried.before?.(context, (prepared) => {
      const { env, ...start } = withFoundProgram(prepared, agent);
      return { ...start, env: { ...base, ...env } };
    });
    const prepared = await harness.prepare(context);
    const arranged = (await tried.arrange?.(context, prepared)) ?? prepared;
    if (tried.look) {
      const note = await tried.look(context, arranged);
      return { outcome: 'holds', fault: null, note: typeof note === 'string' ? note : null };
    }
    const { file, argv, env, check, ...more } = withFoundProgram(arranged, agent);
    cleanUp = more.cleanUp ?? cleanUp;
    const further = (await tried.prepare?.(stage, context)) ?? [];
    const done = await runProgram(file, [...argv, ...further], {
      cwd: work,
      env: { ...base, ...tried.variables, ...env },
      timeoutMs: tried.timeoutMs ?? harness.timeoutMs ?? HARNESS_MS,
      enough: stage.enough.signal,
    });
    stage.isOver = true;
    installation.resume();
    await stage.afterwards?.();
    try {
      await recordOutcome(
        stage,
        { ...tried, turns: (harness.turns?.[tried.name] ?? tried.turns) + deniedTurns },
        model,
        done,
        check,
      );
    } catch (error) {
      return verdict(stage, error, verboseTail(done, model));
    }
    return { outcome: 'holds', fault: null, note: done.isTimedOut ? 'the harness hung afterwards' : stage.note };
  }
}

/**
 * Replaces the path below `IN_PATH` in `prepared` by the program of the agent. Does nothing for an agent that is not from PATH. Throws
 * `NotSeen` if `prepared` has no such path.
 */
function withFoundProgram(prepared, agent) {
  if (agent.program === undefined) return prepared;
  const words = [prepared.file, ...prepared.argv];
  const at = words.findIndex((word) => typeof word === 'string' && word.startsWith(IN_PATH));
  if (at < 0) throw new NotSeen('it is not known how to start the agent in PATH');
  // The word before a script is the Node that runs the script. This Node is removed too: the program in PATH finds a Node by itself.
  const isByNode = /\.[cm]?js$/.test(words[at]) && at > 0;
  words.splice(isByNode ? at - 1 : at, isByNode ? 2 : 1, agent.program);
  const [file, ...argv] = words;
  return { ...prepared, file, argv };
}

async function recordOutcome(stage, tried, model, done, check) {
  const decisions = await Promise.all(stage.decisions);
  // `tried.check` comes first: if something ran without a grant, the outcome must be `open`, whatever else went wrong.
  try {
    await tried.check?.(stage);
  } catch (error) {
    throw error instanceof NotSeen ? error : new Opening(error instanceof Error ? error.message : String(error));
  }
  for (const fault of [...model.faults, ...decisions.filter((each) => each instanceof Error)]) throw fault;
  if (done.isTimedOut && !tried.mayHang) throw new NotSeen('the harness did not end in time');
  if (model.turns() < tried.turns && !done.isTimedOut)
    throw new NotSeen(`the harness ended after ${model.turns()} of ${tried.turns} turns (${endOf(done)})`);
  if (!done.isTimedOut) check?.();
}

/** Returns the outcome after an error. If a command ran without an approval, the outcome is `open`, whatever the error is. */
function verdict(stage, error, more = '') {
  const isOpen = error instanceof Opening || (stage.didRun() && stage.isUndecided());
  const outcome = isOpen ? 'open' : error instanceof CaseFault ? 'failed' : 'not seen';
  return { outcome, fault: `${error.message}${more}` };
}

function endOf({ status, err, out }) {
  const last = err.trim().split('\n').at(-1) || out.trim().split('\n').at(-1) || '';
  return `status ${status}${last === '' ? '' : `: ${last.slice(0, 160)}`}`;
}

const verboseTail = (done, model) =>
  process.env.TRIPWIRE_VERBOSE
    ? `\n${done.out.slice(-TAIL)}\n${done.err.slice(-TAIL)}\n${lastStrings(model.requests.at(-1)?.body)}`
    : '';

/** How a client has to start `apes mcp`. `env` is given: some clients do not pass their own environment to a server. */
const mcpServer = (installation) => ({
  command: join(DIST, 'bin/apes'),
  args: ['mcp'],
  env: { ...installation.variables },
});

/** The end of the conversation in a request to the model, without the list of tools. */
const lastStrings = (body) => stringsIn(body?.messages ?? body?.input ?? body?.contents).slice(-3 * TAIL);
