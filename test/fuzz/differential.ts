/** Gives random lines to our parser and to bash. Each program that bash starts and the parser did not read is a fault. */
import { parse } from 'unbash';
import { parseText } from '../../src/core/reading/parse-text.ts';
import type { SimpleCommand } from '../../src/core/reading/reading.ts';
import { understood, unpredicted } from './compare.ts';
import { PROGRAMS, randomLine } from './grammar.ts';
import { mutate } from './mutation.ts';
import { seeded } from './random.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * @property lines    number of lines that were made
 * @property compared number of lines that the parser understood, and that bash ran
 * @property started  number of programs that started in them
 * @property faults   the lines with the programs and files that the parser did not read
 */
export interface Tally {
  readonly lines: number;
  readonly compared: number;
  readonly started: number;
  readonly faults: readonly string[];
}

/**
 * The number of lines for one run of bash. More lines delay the report of the first fault; fewer lines start more processes. Every
 * second batch runs with extglob.
 */
const BATCH = 251;

/** @param lines taken one by one; bash does not run opaque ones */
export function compareAll(lines: Iterable<string>, sandbox: Sandbox): Tally {
  let [made, compared, started] = [0, 0, 0];
  const faults: string[] = [];
  let batch: { readonly line: string; readonly commands: readonly SimpleCommand[] }[] = [];
  const runBatch = (): void => {
    const happenings = sandbox.run(
      batch.map(({ line }) => line),
      compared % 2 === 1,
    );
    for (const [index, { line, commands }] of batch.entries()) {
      const happening = happenings[index];
      if (happening === undefined) continue;
      started += happening.started.length;
      faults.push(...unpredicted(commands, happening).map((fault) => `${JSON.stringify(line)}: ${fault}`));
    }
    compared += batch.length;
    batch = [];
  };
  for (const line of lines) {
    made++;
    const commands = understood(parseText(line, parse), parse);
    if (commands === null) continue;
    batch.push({ line, commands });
    if (batch.length >= BATCH) runBatch();
  }
  runBatch();
  return { lines: made, compared, started, faults };
}

/**
 * @param count  number of lines
 * @param corpus lines to change; empty if no line may name a path
 */
export function* randomLines(seed: number, count: number, corpus: readonly string[]): Generator<string> {
  const random = seeded(seed);
  const pool = [...corpus];
  for (let made = 0; made < count; made++) {
    const line = randomLine(random);
    if (corpus.length === 0 || random.chance(0.4)) yield line;
    else yield mutate(random.chance(0.5) ? line : random.pick(pool), pool, random);
    if (corpus.length > 0 && random.chance(0.1)) pool[random.below(pool.length)] = line;
  }
}

/** Returns the names of all programs in these lines. Each one needs a stand-in. */
export function programsOf(corpus: readonly string[]): readonly string[] {
  const names = corpus
    .flatMap((line) => parseText(line, parse).commands)
    .flatMap(({ words: [name] }) => (name?.kind === 'literal' ? [name.value.replace(/^.*\//, '')] : []));
  return [...new Set([...PROGRAMS, ...names])].filter((name) => /^[\w+-][\w.+-]*$/.test(name));
}
