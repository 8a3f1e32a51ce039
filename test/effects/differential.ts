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

/** @property faults what was done and not said */
export interface Tally {
  readonly tool: string;
  drawn: number;
  covered: number;
  runs: number;
  timeouts: number;
  /** Runs that the kernel held. */
  confined: number;
  /** What the kernel let them do although it should hold them; and calls that end otherwise than unconfined. */
  readonly escapes: Fault[];
  readonly broken: Fault[];
  readonly faults: Fault[];
}

/**
 * @property seed   the same calls again
 * @property most   covered runs of one tool at most
 * @property draws   calls drawn at most
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
  /** Names of options by the tool's own help. */
  readonly helped: (words: readonly string[]) => readonly string[];
}

/** Calls that wait to be run: enough that the tracer always has one. */
const AHEAD = 12;

/** Returns the same words, with one option before the others. */
export function drawnFirst(drawn: Drawn, first: string | undefined): Drawn {
  if (first === undefined || !drawn.options.includes(first)) return drawn;
  return { ...drawn, options: [first, ...drawn.options.filter((option) => option !== first)] };
}

/** Yields calls of each sub-command in turn, with a random one after each round: a limit cuts all of them alike. Yields no line twice. */
export function* callsOf(
  rule: ToolRule,
  name: string,
  helped: Setting['helped'],
  amount: Amount,
  meant: (drawn: Drawn) => readonly Drawn[] = (drawn) => [drawn],
): Generator<string> {
  const random = seeded(amount.seed);
  const all = drawnOf(rule, name, helped).flatMap(meant);
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

/** They load hundreds of files before they do anything. */
const SLOW: ReadonlySet<string> = new Set(
  (
    'apt apt-cache apt-get aws black bundle bundler composer eslint flake8 gcloud gradle helm isort jest mocha mvn mypy npm npx nx phpunit ' +
    'pip pip3 pnpm poetry pre-commit prettier py.test pylint pytest rake rspec rubocop terraform tox ts-node tsc tsx turbo vite vitest yarn'
  ).split(' '),
);

/** A tool that waits for ever waits shorter each time. */
const waitOptions = ({ timeouts, tool }: Tally): number =>
  timeouts >= 100 ? 120 : timeouts >= 20 ? 400 : SLOW.has(tool) ? 15_000 : 1500;

/** Tools that end at once outside a work space. */
const OF_WORKSPACES: ReadonlySet<string> = new Set(['turbo']);

/** Every fifth call has links around it that lead out. */
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
  for (const template of callsOf(rule, name, setting.helped, amount)) {
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
  const call = { words: ['/bin/bash', '-c', line], cwd, ms: waitOptions(tally) };
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

/** What the kernel kept back: why a call ends otherwise. */
const refused = ({ effects }: Happening): readonly string[] =>
  effects.filter(({ error }) => error !== 0).map(({ what, path, error }) => `${what} ${path} (refused, ${error})`);
