/** Rules broken on purpose, each tried with the calls that they judge in another way than the real ones. */
import type { Base } from './base.ts';
import { faultsOf } from './compare.ts';
import { callsOf, type Setting } from './differential.ts';
import { type CallJudge, type Covered, makeJudge } from './judge-calls.ts';
import { type Mutation, mutate } from './mutations.ts';
import { bookOf, type Table } from './rules.ts';
import type { Stage } from './stage.ts';
import type { Tracer } from './tracer.ts';

/**
 * @property found  the first calls whose effects give the broken rule away; none: it was not found
 * @property judged calls that were judged in another way
 */
export interface Trial {
  readonly found: readonly { readonly covered: Covered; readonly deeds: readonly string[] }[];
  readonly judged: number;
}

export interface TrialSetting {
  readonly stage: Stage;
  readonly tracer: Tracer;
  readonly base: Base;
  readonly tables: ReadonlyMap<string, Table>;
  /** By the rules as they are. */
  readonly judge: CallJudge;
  readonly helped: Setting['helped'];
  readonly seed: number;
}

const DRAWS = 6000;
/** Enough to see that one is no accident of another rule. */
const ENOUGH = 3;

export async function tryMutation(mutation: Mutation, setting: TrialSetting): Promise<Trial> {
  const { stage, tracer, base, tables, judge, helped, seed } = setting;
  const table = tables.get(mutation.tool);
  if (table === undefined) throw new Error(`there are no rules of ${mutation.tool}`);
  const real = bookOf(new Map([[mutation.tool, table]])).find(nameOf(mutation.tool, table));
  if (real === null) throw new Error(`no rule for ${mutation.tool}`);
  const broken = makeJudge(stage, bookOf(new Map([...tables, [mutation.tool, mutate(table, mutation)]])));
  const found: Trial['found'][number][] = [];
  let judged = 0;
  for (const template of callsOf(real, nameOf(mutation.tool, table), helped, {
    seed,
    most: 0,
    draws: DRAWS,
    seconds: 0,
  })) {
    const line = template.replaceAll('@STAGE', stage.tree);
    const covered = broken.judge(line, stage.project);
    if (covered === null || sameDemands(covered, judge.judge(line, stage.project))) continue;
    judged++;
    const deeds = faultsOf(
      covered,
      await tracer.run({ words: ['/bin/bash', '-c', line], cwd: stage.project, ms: 500 }),
      stage,
      base,
    );
    if (deeds.length > 0) found.push({ covered, deeds });
    if (found.length >= ENOUGH) break;
  }
  return { found, judged };
}

/** The program that is called: `awk`, or the first name where a tool has its own name for several. */
function nameOf(tool: string, table: Table): string {
  const names = table['names'] as readonly string[] | undefined;
  return names === undefined || names.includes(tool) ? tool : (names[0] ?? tool);
}

const sameDemands = (one: Covered, other: Covered | null): boolean =>
  other !== null && JSON.stringify(one.demands) === JSON.stringify(other.demands);
