/** Runs every scenario file of this directory, each on its own stage. A few files run at the same time, because they mostly wait. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillIn, type Kept, mismatch, readScenario, type Section, type Step } from './scenario.ts';
import { type Outcome, Stage } from './stage.ts';

const AT_ONCE = 3;
const MAX_MS = 500_000;

const directory = import.meta.dirname;
/** `APE_SCENARIO=name,name` plays the files whose names contain one of these. */
const only = (process.env['APE_SCENARIO'] ?? '').split(',');
const files = readdirSync(directory)
  .filter((name) => name.endsWith('.scenario') && only.some((part) => name.includes(part)))
  .map((name) => ({ name, size: statSync(join(directory, name)).size }))
  .sort((a, b) => b.size - a.size) // the long files first, so that no long file runs alone at the end
  .map(({ name }) => name);

/**
 * A scenario file.
 * @property outcomes for each section a text about the step that failed, or null
 */
interface Play {
  readonly file: string;
  readonly sections: readonly Section[];
  readonly outcomes: readonly Promise<string | null>[];
}

const waiting: (() => Promise<void>)[] = [];
const plays = files.map(prepare);
for (let lane = 0; lane < AT_ONCE; lane++) void runLane();

async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
}

for (const { file, sections, outcomes } of plays)
  describe(file, () => {
    for (const [index, { title }] of sections.entries())
      it(title, async () => expect(await outcomes[index]).toBeNull(), MAX_MS);
  });

function prepare(file: string): Play {
  const sections = readScenario(readFileSync(join(directory, file), 'utf8'), file);
  const settlers: ((outcome: string | null) => void)[] = [];
  const outcomes = sections.map(() => new Promise<string | null>((resolve) => void settlers.push(resolve)));
  waiting.push(async () => {
    const stage = new Stage();
    const kept: Kept = new Map();
    for (const [index, section] of sections.entries()) settlers[index]?.(await playSection(stage, file, section, kept));
    stage.close();
  });
  return { file, sections, outcomes };
}

async function playSection(stage: Stage, file: string, section: Section, kept: Kept): Promise<string | null> {
  try {
    for (const step of section.steps) {
      const outcome = await play(stage, step, kept);
      const wrong = outcome === null ? null : complaint(file, step, outcome, kept);
      if (wrong !== null) return wrong;
    }
    return null;
  } catch (error) {
    return String(error);
  }
}

async function play(stage: Stage, step: Step, kept: Kept): Promise<Outcome | null> {
  const command = fillIn(step.command, kept);
  if (step.kind === 'run') return stage.run(command);
  if (step.kind === 'wait') return stage.wait(step.name);
  if (step.kind === 'see') return stage.see(step.name, command).then(() => null);
  stage.start(step.name, command);
  return null;
}

/** Returns null if the step ended as expected, and otherwise the differences with the whole output. */
function complaint(file: string, step: Step, outcome: Outcome, kept: Kept): string | null {
  const isStatus = step.status === null || step.status === outcome.status;
  const wrong = [
    ['standard output', mismatch(step.out, outcome.out, kept)],
    ['standard error', mismatch(step.err, outcome.err, kept)],
    ['status', isStatus ? null : `expected ${step.status}, got ${outcome.status}`],
  ].flatMap(([what, why]) => (why === null ? [] : [`${what}: ${why}`]));
  if (wrong.length === 0) return null;
  const title = `${file}:${step.line}: ${fillIn(step.command, kept) || `wait ${step.name}`}`;
  return [title, ...wrong, '--- out', outcome.out, '--- err', outcome.err].join('\n');
}
