/** Tries a broken rule with the calls that it assesses differently from the real rule. */
import type { Base } from './base.ts';
import { faultsOf } from './compare.ts';
import { escapesOf, profileOf, settled } from './confined.ts';
import { callsOf, drawnFirst, type Setting } from './differential.ts';
import type { Drawn } from './draw.ts';
import { type CallJudge, type Covered, makeJudge } from './judge-calls.ts';
import { type Mutation, mutate } from './mutations.ts';
import { bookOf, type Table } from './rules.ts';
import type { Stage } from './stage.ts';
import type { Tracer } from './tracer.ts';

/**
 * @property found  the first calls whose effects reveal the broken rule; empty: the rule was not found
 * @property harm   what these calls did when they ran confined, although their confinement forbids it
 * @property held   number of these calls that ran confined
 * @property judged number of calls that the broken rule assesses differently
 */
export interface Trial {
  readonly found: readonly { readonly covered: Covered; readonly accesses: readonly string[] }[];
  readonly harm: readonly string[];
  readonly held: number;
  readonly judged: number;
}

export interface TrialSetting {
  readonly stage: Stage;
  readonly tracer: Tracer;
  readonly base: Base;
  readonly tables: ReadonlyMap<string, Table>;
  /** Assesses by the real rules. */
  readonly judge: CallJudge;
  readonly optionsInHelp: Setting['optionsInHelp'];
  readonly seed: number;
}

const DRAWS = 6000;
/** The number of calls that reveal the broken rule, after which a trial ends. A single call could reveal a fault of another rule. */
const ENOUGH = 3;

export async function tryMutation(mutation: Mutation, setting: TrialSetting): Promise<Trial> {
  const { stage, tracer, base, tables, judge, optionsInHelp, seed } = setting;
  const table = tables.get(mutation.tool);
  if (table === undefined) throw new Error(`there are no rules of ${mutation.tool}`);
  const rule = bookOf(new Map([[mutation.tool, table]])).find(nameOf(mutation.tool, table));
  if (rule === null) throw new Error(`no rule for ${mutation.tool}`);
  const broken = makeJudge(stage, bookOf(new Map([...tables, [mutation.tool, mutate(table, mutation)]])));
  const found: Trial['found'][number][] = [];
  const harm: string[] = [];
  let [judged, held] = [0, 0];
  const meant = (drawn: Drawn): readonly Drawn[] =>
    commandsOf(table, mutation).includes(drawn.words.join(' ')) ? [drawnFirst(drawn, mutation.option)] : [];
  const amount = { seed, most: 0, draws: DRAWS, seconds: 0 };
  for (const template of callsOf(rule, nameOf(mutation.tool, table), optionsInHelp, amount, meant)) {
    const line = template.replaceAll('@STAGE', stage.tree);
    const covered = broken.judge(line, stage.project);
    if (covered === null) continue;
    const real = judge.judge(line, stage.project);
    if (sameRequired(covered, real)) continue;
    judged++;
    const accesses = faultsOf(
      covered,
      await tracer.run({ words: ['/bin/bash', '-c', line], cwd: stage.project, ms: 2_000 }),
      stage,
      base,
    );
    if (accesses.length === 0) continue;
    found.push({ covered, accesses });
    if (covered.held !== null) {
      held++;
      const confined = await tracer.run({
        words: ['/bin/bash', '-c', line],
        cwd: stage.project,
        ms: 2_000,
        profile: profileOf(settled(covered.held), stage),
      });
      harm.push(...escapesOf(settled(covered.held), confined, stage));
    }
    if (found.length >= ENOUGH) break;
  }
  return { found, harm, held, judged };
}

/** The sub-commands that a broken rule is about: those with the group, the sub-command `to` of a mutation `verb`, or the one that is named. */
function commandsOf(table: Table, { command, kind, to }: Mutation): readonly string[] {
  if (!command.startsWith('[')) return kind === 'verb' ? [String(to)] : [command];
  const group = command.slice(1, -1);
  return (table['command'] as Table[])
    .filter(({ groups }) => Array.isArray(groups) && groups.includes(group))
    .flatMap(({ name }) => (Array.isArray(name) ? (name as string[]) : [String(name)]));
}

/** The program that is called: the tool's own name, or the first of its names if the tool's name is no program. */
function nameOf(tool: string, table: Table): string {
  const names = table['names'] as readonly string[] | undefined;
  return names === undefined || names.includes(tool) ? tool : (names[0] ?? tool);
}

const sameRequired = (one: Covered, other: Covered | null): boolean =>
  other !== null && JSON.stringify(one.demands) === JSON.stringify(other.demands);
