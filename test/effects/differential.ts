/** The effect test of one tool: assesses its calls, runs those that a scope covers, and compares. */
import type { ToolRule } from '../../src/core/rules/rule.ts';
import { seeded } from '../fuzz/random.ts';
import type { Base } from './base.ts';
import { faultsOf } from './compare.ts';
import { escapesOf, profileOf, settled } from './confined.ts';
import { type Drawn, drawnOf, eachCall, randomCall } from './draw.ts';
import type { CallJudge, Covered } from './judge-calls.ts';
import type { Stage } from './stage.ts';
import type { Happening, Tracer } from './tracer.ts';

export interface Fault {
  readonly line: string;
  readonly cwd: string;
  readonly accesses: readonly string[];
  readonly covered: Covered;
  readonly said: string;
}

/**
 * @property faults what calls did that their assessments do not contain
 * @property broken calls that end differently when they run confined
 */
export interface Tally {
  readonly tool: string;
  drawn: number;
  covered: number;
  runs: number;
  timeouts: number;
  /** The number of confined runs. */
  confined: number;
  /** What confined calls did although their confinement forbids it. */
  readonly escapes: Fault[];
  readonly broken: Fault[];
  readonly faults: Fault[];
}

/**
 * @property seed   the same seed draws the same calls
 * @property most   the largest number of covered runs of one tool
 * @property draws  the largest number of calls that are drawn
 */
export interface Amount {
  readonly seed: number;
  readonly most: number;
  readonly draws: number;
  /** After this time no further call of a tool begins. */
  readonly seconds: number;
}

export interface Setting {
  readonly stage: Stage;
  readonly tracer: Tracer;
  readonly judge: CallJudge;
  readonly base: Base;
  readonly isConfined: boolean;
  /** Returns the names of options in the tool's own help. */
  readonly optionsInHelp: (words: readonly string[]) => readonly string[];
}

/** The number of calls that are sent ahead, so that the tracer always has one to run. */
const AHEAD = 12;

/** Returns the same words, with one option before the others. */
export function drawnFirst(drawn: Drawn, first: string | undefined): Drawn {
  if (first === undefined || !drawn.options.includes(first)) return drawn;
  return { ...drawn, options: [first, ...drawn.options.filter((option) => option !== first)] };
}

/**
 * Yields a call of each sub-command in turn, then a random call, and so on, so that a limit cuts all sub-commands alike. Yields no line
 * twice.
 * @param meant returns the sub-command as it is to be drawn, or an empty list to leave it out; default: as it is
 */
export function* callsOf(
  rule: ToolRule,
  name: string,
  optionsInHelp: Setting['optionsInHelp'],
  amount: Amount,
  meant: (drawn: Drawn) => readonly Drawn[] = (drawn) => [drawn],
): Generator<string> {
  const random = seeded(amount.seed);
  const all = drawnOf(rule, name, optionsInHelp).flatMap(meant);
  const seen = new Set<string>();
  const take = (line: string): readonly string[] => (seen.has(line) || !seen.add(line) ? [] : [line]);
  for (let alive = all.map((drawn) => eachCall(drawn, random)); alive.length > 0; ) {
    const round = alive.map((each) => each.next());
    alive = alive.filter((_, at) => round[at]?.done !== true);
    for (const { value, done } of round) if (done !== true && seen.size < amount.draws) yield* take(value);
    yield* take(randomCall(all, random));
    if (seen.size >= amount.draws) return;
  }
  for (let tries = 0; seen.size < amount.draws && tries < 3 * amount.draws; tries++)
    yield* take(randomCall(all, random));
}

/** Tools that load hundreds of files before they do anything. They get more time. */
const SLOW: ReadonlySet<string> = new Set(
  (
    'apt apt-cache apt-get aws black bundle bundler composer eslint flake8 gcloud gradle helm isort jest mocha mvn mypy npm npx nx phpunit ' +
    'pip pip3 pnpm poetry pre-commit prettier py.test pylint pytest rake rspec rubocop terraform tox ts-node tsc tsx turbo vite vitest yarn'
  ).split(' '),
);

/** The time limit of a call in ms. It becomes shorter for a tool whose calls often reach it. */
const timeLimitMs = ({ timeouts, tool }: Tally): number =>
  timeouts >= 100 ? 120 : timeouts >= 20 ? 400 : SLOW.has(tool) ? 15_000 : 1500;

/** Tools that end at once outside of a workspace. */
const OF_WORKSPACES: ReadonlySet<string> = new Set(['turbo']);

/** Returns the directory of a call. Every fifth call runs in a directory with links that lead out of it. */
function placeOf(tool: string, count: number, { project, linked, workspace }: Stage): string {
  if (count % 5 === 4) return linked;
  return OF_WORKSPACES.has(tool) && count % 2 === 0 ? workspace : project;
}

export async function runTool(rule: ToolRule, name: string, setting: Setting, amount: Amount): Promise<Tally> {
  const { stage, judge } = setting;
  const tally: Tally = {
    tool: name,
    drawn: 0,
    covered: 0,
    runs: 0,
    timeouts: 0,
    confined: 0,
    escapes: [],
    broken: [],
    faults: [],
  };
  const running = new Set<Promise<void>>();
  let count = 0;
  const end = performance.now() + amount.seconds * 1000;
  for (const template of callsOf(rule, name, setting.optionsInHelp, amount)) {
    const line = template.replaceAll('@STAGE', stage.tree);
    const cwd = placeOf(name, count++, stage);
    tally.drawn++;
    const covered = judge.judge(line, cwd);
    if (covered === null) continue;
    tally.covered++;
    const run = runCovered(covered, setting, tally).finally(() => running.delete(run));
    running.add(run);
    if (running.size >= AHEAD) await Promise.race(running);
    if (tally.covered >= amount.most || performance.now() > end) break;
  }
  await Promise.all(running);
  return tally;
}

async function runCovered(covered: Covered, { stage, tracer, base, isConfined }: Setting, tally: Tally): Promise<void> {
  const { line, cwd } = covered;
  const call = { words: ['/bin/bash', '-c', line], cwd, ms: timeLimitMs(tally) };
  const happening = await tracer.run(call);
  tally.runs++;
  if (happening.end === 'timeout') tally.timeouts++;
  const accesses = faultsOf(covered, happening, stage, base);
  if (accesses.length > 0) tally.faults.push({ line, cwd, accesses, covered, said: happening.said });
  if (!isConfined || covered.held === null) return;
  const held = settled(covered.held);
  const again = await tracer.run({ ...call, profile: profileOf(held, stage) });
  tally.confined++;
  const escapes = escapesOf(held, again, stage);
  if (escapes.length > 0) tally.escapes.push({ line, cwd, accesses: escapes, covered, said: again.said });
  const isSame = again.end === happening.end || [again.end, happening.end].includes('timeout');
  if (accesses.length === 0 && !isSame)
    tally.broken.push({
      line,
      cwd,
      accesses: [`${happening.end} became ${again.end}`, ...refused(again)],
      covered,
      said: again.said,
    });
}

/** Returns the accesses that the kernel refused. They explain why a call ends differently. */
const refused = ({ effects }: Happening): readonly string[] =>
  effects.filter(({ error }) => error !== 0).map(({ what, path, error }) => `${what} ${path} (refused, ${error})`);
