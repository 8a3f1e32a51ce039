/** What covered calls do, against what the reading says. The long runs: scripts/effects/. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Base, baseOf } from './base.ts';
import { tryMutation } from './broken-rules.ts';
import { profileOf, settled } from './confined.ts';
import { runTool } from './differential.ts';
import { makeJudge } from './judge-calls.ts';
import { MUTATIONS, mutate, mutationName } from './mutations.ts';
import { bookOf, readTables } from './rules.ts';
import { makeStage, type Stage } from './stage.ts';
import { compileTracer, startTracer, type Tracer } from './tracer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tables = readTables(root);
const book = bookOf(tables);
let stage: Stage;
let tracer: Tracer;
let base: Base;

beforeAll(() => {
  stage = makeStage();
  tracer = startTracer(stage, compileTracer(stage, root));
  base = baseOf(stage);
});
afterAll(async () => {
  await tracer.stop();
  stage.remove();
});

const run = (line: string) => tracer.run({ words: ['/bin/bash', '-c', line], cwd: stage.project });

it('the tracer sees what is opened, made, removed, started, contacted and signalled, and the next call starts afresh', async () => {
  const { effects, end } = await run(
    'cat README.md > new; mv new newer; ln -s x y; rm d/empty; mkdir z; chmod 600 newer; (echo > /dev/tcp/127.0.0.1/8080); kill -9 1; echo x > /etc/new',
  );
  const seen = effects.map(
    ({ what, path, error }) => `${what} ${path.replace(`${stage.project}/`, '')}${error === 0 ? '' : ' refused'}`,
  );
  for (const each of [
    'execute /usr/bin/cat',
    'read README.md',
    'write new',
    'rename new',
    'symlink y',
    'delete d/empty',
    'mkdir z',
    'mode newer',
    'connect inet 127.0.0.1 8080',
  ])
    expect(seen).toContain(each);
  expect(seen).toEqual(expect.arrayContaining(['signal process 1 refused', 'write /etc/new refused']));
  expect(end).toBe('exit 1');
  expect((await run('cat d/empty && test ! -e newer')).end).toBe('exit 0');
});

it('a signal to a child that has ended already is none to another process', async () => {
  const { effects, end } = await run(
    `perl -e '$p = fork; exit unless $p; for (;;) { open F, "/proc/$p/stat"; last if <F> =~ /\\) Z/ } kill 9, $p'`,
  );
  expect([effects.filter(({ what }) => what === 'signal'), end]).toEqual([[], 'exit 0']);
});

it('a place that a call makes itself is given as a host gives it', async () => {
  const line = 'mkdir -p fresh/deep && cp README.md fresh/deep/copy';
  const held = makeJudge(stage, book).judge(line, stage.project)?.held ?? null;
  if (held === null) throw new Error('not covered');
  const call = { words: ['/bin/bash', '-c', line], cwd: stage.project };
  expect((await tracer.run({ ...call, profile: profileOf(settled(held), stage) })).end).toBe('exit 0');
  expect((await tracer.run({ ...call, profile: profileOf({ ...held, absent: [] }, stage) })).end).toBe('exit 72');
});

it('calls of common tools do what the reading says, and nothing outside where the kernel holds them', async () => {
  const amount = { seed: 20_261_122, most: 60, draws: 1500, seconds: 60 };
  for (const name of ['cat', 'sort', 'uniq', 'tee', 'cp', 'rm']) {
    const rule = book.find(name);
    if (rule === null) throw new Error(`no rule for ${name}`);
    const setting = { stage, tracer, judge: makeJudge(stage, book), base, isConfined: true, helped: () => [] };
    const tally = await runTool(rule, name, setting, amount);
    expect(tally.faults.map(({ line, deeds }) => [line, deeds])).toEqual([]);
    expect(tally.escapes.map(({ line, deeds }) => [line, deeds])).toEqual([]);
    expect(tally.runs).toBe(amount.most);
    expect(tally.confined).toBeGreaterThan(30);
  }
});

const CHOSEN = [
  'uniq operands',
  'tee reads',
  'cp reads operands',
  'split forgets',
  'dd operands',
  'sed -i forgets',
  'git show verb',
  'git archive -o',
];

it('a rule that is broken is found, and its calls do no harm where the kernel holds them', async () => {
  const judge = makeJudge(stage, book);
  for (const start of CHOSEN) {
    const mutation = MUTATIONS.find((each) => mutationName(each).startsWith(start));
    if (mutation === undefined) throw new Error(`no broken rule ${start}`);
    const { found, harm } = await tryMutation(mutation, {
      stage,
      tracer,
      base,
      tables,
      judge,
      helped: () => [],
      seed: 1,
    });
    expect([start, found.length > 0, harm]).toEqual([start, true, []]);
  }
});

it('every rule of the list can be broken', () => {
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(50);
  for (const mutation of MUTATIONS) {
    const table = tables.get(mutation.tool);
    if (table === undefined) throw new Error(`there are no rules of ${mutation.tool}`);
    expect(() => bookOf(new Map([[mutation.tool, mutate(table, mutation)]]))).not.toThrow();
  }
});
