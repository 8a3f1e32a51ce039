/** Compares what covered calls do with their assessments. The long runs are in scripts/effects/. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Base, baseOf } from './base.ts';
import { tryMutation } from './broken-rules.ts';
import { faultsOf } from './compare.ts';
import { escapesOf, profileOf, settled } from './confined.ts';
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

it('a signal to a child that has already ended does not count as a signal to another process', async () => {
  const { effects, end } = await run(
    `perl -e '$p = fork; exit unless $p; for (;;) { open F, "/proc/$p/stat"; last if <F> =~ /\\) Z/ } kill 9, $p'`,
  );
  expect([effects.filter(({ what }) => what === 'signal'), end]).toEqual([[], 'exit 0']);
});

it('a call gets the right to write a directory that it makes, as on a host', async () => {
  const line = 'mkdir -p fresh/deep && cp README.md fresh/deep/copy';
  const found = makeJudge(stage, book).judge(line, stage.project)?.held ?? null;
  if (found === null) throw new Error('not covered');
  // As from a host that could not look which paths exist.
  const fresh = `${stage.project}/fresh`;
  const held = { ...found, write: [fresh], absent: [{ path: fresh, below: stage.project }] };
  const call = { words: ['/bin/bash', '-c', line], cwd: stage.project };
  expect((await tracer.run({ ...call, profile: profileOf(settled(held), stage) })).end).toBe('exit 0');
  expect((await tracer.run({ ...call, profile: profileOf({ ...held, absent: [] }, stage) })).end).toBe('exit 72');
});

it('calls of common tools do only what their assessment contains, and confined calls do nothing outside of their confinement', async () => {
  const amount = { seed: 20_261_122, most: 60, draws: 1500, seconds: 60 };
  for (const name of ['cat', 'sort', 'uniq', 'tee', 'cp', 'rm']) {
    const rule = book.find(name);
    if (rule === null) throw new Error(`no rule for ${name}`);
    const setting = { stage, tracer, judge: makeJudge(stage, book), base, isConfined: true, optionsInHelp: () => [] };
    const tally = await runTool(rule, name, setting, amount);
    expect(tally.faults.map(({ line, accesses }) => [line, accesses])).toEqual([]);
    expect(tally.escapes.map(({ line, accesses }) => [line, accesses])).toEqual([]);
    expect(tally.runs).toBe(amount.most);
    expect(tally.confined).toBeGreaterThan(30);
  }
});

it.each([
  'ls -R',
  'mkdir -p new/x/y',
  'ln src/link-in new-file',
  'find -samefile ../other .',
  'cd src && find src/link-in new-file',
  'git branch -D dev',
  'git branch new-branch dev',
  'git bisect',
  'git bisect run',
  'git rm src/sub/c.txt',
  'git submodule',
  'git push http://127.0.0.1:8080/x.git main',
  'curl http://127.0.0.1:8080/x',
  'curl -I http://127.0.0.1:8080/x',
  'make',
])('%s does what the card says', async (line) => {
  const covered = makeJudge(stage, book).judge(line, stage.project);
  if (covered === null) throw new Error(`${line} is not covered`);
  expect(faultsOf(covered, await run(line), stage, base)).toEqual([]);
});

it.each(['git init', 'git init new', 'git fetch ../other', 'make ../other/victim.txt', 'make -f ../other/Makefile'])(
  '%s gets no scope',
  (line) => expect(makeJudge(stage, book).judge(line, stage.linked)).toBeNull(),
);

it.each(['git branch new-branch origin/far', 'git branch -m dev new', 'git remote add up ../other'])(
  '%s writes .git/config, and gets no scope',
  (line) => expect(makeJudge(stage, book).judge(line, stage.project)).toBeNull(),
);

/** Makes the trace of a call with these accesses. */
const did = (...accesses: readonly (readonly [string, string])[]) => ({
  effects: accesses.map(([what, path]) => ({ what, path, other: '', error: 0 })),
  end: 'exit 0',
  said: '',
  extra: '',
});

/** Whether a tool from a package registry is installed. Few machines have such tools. Debian's own tools are always there. */
const isHere = (program: string): boolean =>
  ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(`${folder}/${program}`));

const judged = (line: string) => {
  const covered = makeJudge(stage, book).judge(line, stage.project);
  if (covered === null) throw new Error(`${line} is not covered`);
  return covered;
};

const bind = did(['bind', 'inet 127.0.0.1 5173']);
const faultsIf = (line: string, happening: typeof bind) => faultsOf(judged(line), happening, stage, base);
const escapesIf = (line: string, address: string) => {
  const { held } = judged(line);
  if (held === null) throw new Error(`${line} cannot be confined`);
  return escapesOf(held, did(['bind', address]), stage);
};

it('only calls whose card says so may listen on a port or contact a server', () => {
  const contact = did(['connect', 'inet 203.0.113.80 443']);
  expect(faultsIf('curl http://127.0.0.1:8080/x', bind)).toEqual(['bind inet 127.0.0.1 5173']);
  expect(faultsIf('npm install left-pad', contact)).toEqual([]);
  expect(faultsIf('npm test', contact)).toEqual(['connect inet 203.0.113.80 443']);
});

it.each([
  ['curl http://127.0.0.1:8080/x', ['connect inet 127.0.0.1 5173']],
  ['curl -L http://127.0.0.1:8080/x', []],
  ['wget -qO- http://127.0.0.1:8080/x', []],
  ['dig +trace example.com', []],
  ['git push http://127.0.0.1:8080/x.git main', []],
  ['git log', ['connect inet 127.0.0.1 5173']],
])(
  '%s may contact another port than its URL names only if it follows answers, and its card says so',
  (line, faults) => {
    expect(faultsIf(line, did(['connect', 'inet 127.0.0.1 5173']))).toEqual(faults);
    const said = judged(line)
      .demands.map(({ permission }) => permission.sentence)
      .join(' ');
    expect(/redirects|as their answers direct/.test(said)).toBe(faults.length === 0);
  },
);

it('a confined call that listens on a port counts as an escape, unless its profile has all ports', () => {
  expect(escapesIf('curl http://127.0.0.1:8080/x', 'inet 127.0.0.1 5173')).toEqual(['bind inet 127.0.0.1 5173']);
  expect(escapesIf('curl http://127.0.0.1:8080/x', 'inet 0.0.0.0 0')).toEqual([]);
  expect(escapesIf('cat README.md', 'inet 0.0.0.0 0')).toEqual(['bind inet 0.0.0.0 0']);
});

it.each(['vite'].filter((program) => isHere(program)))('%s dev may listen on a port, and on no socket file', () => {
  expect(faultsIf('vite dev', bind)).toEqual([]);
  expect(faultsIf('vite build', bind)).toEqual(['bind inet 127.0.0.1 5173']);
  expect(faultsIf('vite dev', did(['bind', '/run/x.sock']))).toEqual(['bind /run/x.sock']);
  expect(escapesIf('vite dev', 'inet 127.0.0.1 5173')).toEqual([]);
  expect(escapesIf('vite dev', '/run/x.sock')).toEqual(['bind /run/x.sock']);
});

it('a temporary archive of zip is a fault, unless it lies beside the archive and our time limit ended the call', () => {
  const begun = did(['write', `${stage.project}/zi15eBOf`]);
  const faults = (line: string, happening: typeof begun) => faultsOf(judged(line), happening, stage, base).length;
  expect(faults('zip new.zip README.md', begun)).toBe(1);
  expect(faults('zip new.zip README.md', { ...begun, end: 'timeout' })).toBe(0);
  expect(faults('zip d/new.zip README.md', { ...begun, end: 'timeout' })).toBe(1);
  expect(faults('tar -cf new.tar src', { ...begun, end: 'timeout' })).toBe(1);
});

it.each(
  [
    'pytest ../other',
    'pytest ../other/victim.txt',
    'python3 -m pytest -q test_x.py',
    'yarn test',
    'turbo run build',
    'tsx src/a.ts',
  ].filter((line) => isHere(line.split(' ', 1)[0] ?? '')),
)('%s, which looks for a root of the work or keeps files elsewhere, does what the card says', async (line) => {
  const cwd = line.startsWith('turbo') ? stage.workspace : stage.project;
  const covered = makeJudge(stage, book).judge(line, cwd);
  if (covered === null) throw new Error(`${line} is not covered`);
  const happening = await tracer.run({ words: ['/bin/bash', '-c', line], cwd, ms: 20_000 });
  expect(faultsOf(covered, happening, stage, base)).toEqual([]);
});

it('the base lets no tool read keys or credentials, or change a file of the user other than caches', () => {
  const kept = [
    '.ssh/id_rsa',
    '.netrc',
    '.pgpass',
    '.npmrc',
    '.aws/credentials',
    '.kube/config',
    '.config/gh/hosts.yml',
  ];
  const read = [...kept.map((name) => `${stage.home}/${name}`), '/etc/shadow', '/root/x', '/srv/x'];
  for (const tool of tables.keys()) {
    const tools = new Set([tool]);
    for (const path of read)
      expect([tool, path, base.allows({ what: 'read', path, error: 0 }, tools)]).toEqual([tool, path, false]);
    for (const path of ['.bashrc', 'code/proj/README.md', 'code/proj/.git/config', '.config/x'])
      for (const what of ['write', 'delete', 'mode'])
        expect([tool, base.allows({ what, path: `${stage.home}/${path}`, error: 0 }, tools)]).toEqual([tool, false]);
  }
});

it('effects.mjs --sum adds up runs in parts; it names and leaves out a tool that was run with other sources', () => {
  const file = path.join(stage.root, 'parts.jsonl');
  const script = path.join(root, 'scripts/effects/effects.mjs');
  const call = (...words: string[]) => spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  call('--tools', 'true,tac', '--most', '1', '--draws', '9', '--jobs', '1', '--open', '--to', file);
  const states = new Map(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { tool: string; state: string })
      .map(({ tool, state }) => [tool, state]),
  );
  expect([...states.keys()].sort()).toEqual(['tac', 'true']);
  expect(states.get('tac')).not.toBe(states.get('true')); // the state depends on the tool's own rules
  const part = (tool: string, faults: number, state = states.get(tool)) => {
    const row = {
      tool,
      drawn: 9,
      covered: 5,
      runs: 5,
      timeouts: 0,
      faults,
      confined: 4,
      escapes: 0,
      broken: 1,
      seconds: 1,
    };
    return `${JSON.stringify({ ...row, seed: '1', state })}\n`;
  };
  const sum = (text: string) => {
    writeFileSync(file, text);
    const { status, stdout, stderr } = call('--sum', file);
    return [status, stdout.trim().split('\n').at(-1), stderr.trim()];
  };
  expect(sum(part('true', 0) + part('true', 0) + part('tac', 0))).toEqual([
    0,
    '2 tools, 15 covered runs: 0 outside, 0 escapes',
    '',
  ]);
  expect(sum(part('true', 0) + part('tac', 1))[0]).toBe(1);
  expect(sum(part('true', 0) + part('tac', 1, 'another state'))).toEqual([
    0,
    '1 tools, 5 covered runs: 0 outside, 0 escapes',
    'left out, run with other sources: tac',
  ]);
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

it('a broken rule is found, and its calls do no harm when they run confined', async () => {
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
      optionsInHelp: () => [],
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
