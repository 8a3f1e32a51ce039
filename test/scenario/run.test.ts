/** Plays every scenario file beside this one, each on a stage of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fillIn, type Kept, mismatch, readScenario, type Step } from './scenario.ts';
import { type Outcome, Stage } from './stage.ts';

const directory = import.meta.dirname;
const only = process.env['APE_SCENARIO'];
const files = readdirSync(directory).filter(
  (name) => name.endsWith('.scenario') && (only === undefined || name.includes(only)),
);

for (const file of files)
  describe(file, () => {
    const stage = new Stage();
    const kept: Kept = new Map();
    afterAll(() => stage.close());
    for (const { title, steps } of readScenario(readFileSync(join(directory, file), 'utf8'), file))
      it(title, async () => {
        for (const step of steps) {
          const outcome = await play(stage, step, kept);
          if (outcome !== null) expect(complaint(file, step, outcome, kept)).toBeNull();
        }
      });
  });

async function play(stage: Stage, step: Step, kept: Kept): Promise<Outcome | null> {
  const command = fillIn(step.command, kept);
  if (step.kind === 'run') return stage.run(command);
  if (step.kind === 'wait') return stage.wait(step.name);
  stage.start(step.name, command);
  return null;
}

/** Null when the step ended as it should; else everything somebody needs to see. */
function complaint(file: string, step: Step, outcome: Outcome, kept: Kept): string | null {
  const wrong = [
    ['standard output', mismatch(step.out, outcome.out, kept)],
    ['standard error', mismatch(step.err, outcome.err, kept)],
    [
      'status',
      step.status === null || step.status === outcome.status ? null : `expected ${step.status}, got ${outcome.status}`,
    ],
  ].flatMap(([what, why]) => (why === null ? [] : [`${what}: ${why}`]));
  if (wrong.length === 0) return null;
  const title = `${file}:${step.line}: ${fillIn(step.command, kept) || `wait ${step.name}`}`;
  return [title, ...wrong, '--- out', outcome.out, '--- err', outcome.err].join('\n');
}
