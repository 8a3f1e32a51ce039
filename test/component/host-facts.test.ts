/** The assessment that a host makes and the server's assessment from the host facts have to be the same for every line. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assessByHostFacts } from '../../src/core/effects/assess-request.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { type LookedUp, lookUpRequest } from '../../src/gate/facts/look-up.ts';
import { loadRules } from '../../src/platform/rule-files.ts';
import { readCorpus } from '../corpus/corpus.ts';

const dist = new URL('../../dist', import.meta.url).pathname;
let directory = '';
let rules: Awaited<ReturnType<typeof loadRules>>;

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-look-')));
  for (const name of ['objects', 'refs']) mkdirSync(join(directory, 'app', '.git', name), { recursive: true });
  writeFileSync(join(directory, 'app', '.git', 'HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(join(directory, 'app', 'src'));
  writeFileSync(join(directory, 'app', 'foo.txt'), 'foo\n');
  symlinkSync('/etc', join(directory, 'app', 'out'));
  rules = await loadRules(dist, join(directory, 'config.toml'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const request = (text: string, more: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  kind: 'command',
  text,
  argv: ['-c', text],
  cwd: join(directory, 'app'),
  host: 'h',
  user: 'u',
  environment: [
    { name: 'HOME', value: directory },
    { name: 'PATH', value: '/usr/bin:/bin' },
  ],
  ...more,
});

async function lookUp(asked: ExecutionRequest): Promise<LookedUp> {
  if (!rules.ok) throw new Error(rules.failure.message);
  const found = await lookUpRequest(asked, '/bin/bash', rules.value);
  if (found === null) throw new Error('nothing was looked up');
  return found;
}

/** Assesses the request as the server does from the host facts that it receives. */
function assessedByServer(asked: ExecutionRequest, { hostFacts }: Pick<LookedUp, 'hostFacts'>) {
  const arrived = JSON.parse(JSON.stringify(hostFacts)) as LookedUp['hostFacts'];
  return assessByHostFacts(asked, arrived, { rules: rules.ok ? rules.value : null, parse });
}

test('a server with the host facts makes the same assessment as the host, for every line of the corpus', async () => {
  const differing: string[] = [];
  let understood = 0;
  // bash is asked about each of these lines, so the test takes only a part of the corpus.
  for (const { text } of readCorpus().filter((_line, at) => at % 4 === 0)) {
    const asked = request(text);
    const here = await lookUp(asked);
    const there = assessedByServer(asked, here);
    if (here.assessment.requiredPermissions !== null) understood += 1;
    const same =
      JSON.stringify(there.requiredPermissions) === JSON.stringify(here.assessment.requiredPermissions) &&
      JSON.stringify(there.opaque) === JSON.stringify(here.assessment.opaque);
    if (!same) differing.push(text);
  }
  expect(differing).toEqual([]);
  expect(understood).toBeGreaterThan(40);
}, 120_000);

test('a line is opaque if the host did not look it up', async () => {
  const asked = request('git log --oneline | head -3');
  const { hostFacts } = await lookUp(asked);
  if (hostFacts === null) throw new Error('no host facts');
  expect(assessedByServer(asked, { hostFacts }).requiredPermissions).not.toBeNull();
  for (const poorer of [
    null,
    { ...hostFacts, names: hostFacts.names.slice(1) },
    { ...hostFacts, paths: [] },
    { ...hostFacts, repositories: [] },
    { ...hostFacts, bash: 'unknown' as const },
    { ...hostFacts, bash: 'disagrees' as const },
  ]) {
    if (poorer !== null && JSON.stringify(poorer) === JSON.stringify(hostFacts)) continue;
    expect(assessedByServer(asked, { hostFacts: poorer }).requiredPermissions, JSON.stringify(poorer)).toBeNull();
  }
});

test('host facts of another line do not cover this line', async () => {
  const { hostFacts } = await lookUp(request('git status'));
  expect(assessedByServer(request('rm -rf src'), { hostFacts }).requiredPermissions).toBeNull();
  expect(assessedByServer(request('git -C /etc status'), { hostFacts }).requiredPermissions).toBeNull();
});

describe('what changes bash before it reads the line', () => {
  test.each([
    ['a login shell', { argv: ['-lc', 'ls'] }],
    ['an interactive shell', { argv: ['-ic', 'ls'] }],
    [
      'BASH_ENV',
      {
        environment: [
          { name: 'BASH_ENV', value: '/tmp/x' },
          { name: 'PATH', value: '/usr/bin:/bin' },
        ],
      },
    ],
    [
      'BASHOPTS',
      {
        environment: [
          { name: 'BASHOPTS', value: 'extglob' },
          { name: 'PATH', value: '/usr/bin:/bin' },
        ],
      },
    ],
  ])('%s makes the line opaque', async (_what, more) => {
    expect((await lookUp(request('ls'))).assessment.requiredPermissions).not.toBeNull();
    expect((await lookUp(request('ls', more))).assessment.requiredPermissions).toBeNull();
  });

  test('an exported function, an alias or a function of the session is not taken for a program', async () => {
    for (const name of ['BASH_FUNC_ls%%', 'alias ls', 'function ls']) {
      const environment = [
        { name: 'PATH', value: '/usr/bin:/bin' },
        { name, value: '() { rm -rf /; }' },
      ];
      const kind = name.startsWith('BASH') ? 'command' : 'line';
      const { assessment } = await lookUp(
        request('ls', { environment, kind, argv: kind === 'line' ? [] : ['-c', 'ls'] }),
      );
      expect(assessment.requiredPermissions, name).toBeNull();
    }
  });

  test('a program that starts without a shell is a file, even if a shell has a builtin of that name', async () => {
    const asked = request('echo hi', { kind: 'argv', argv: ['echo', 'hi'] });
    const { assessment } = await lookUp(asked);
    expect(assessment.requiredPermissions?.[0]?.programs).toMatchObject([{ name: 'echo', realPath: '/usr/bin/echo' }]);
    expect((await lookUp(request('echo hi'))).assessment.requiredPermissions?.[0]?.programs).toMatchObject([
      { realPath: null },
    ]);
  });
});

test('a link that leads out of the directory is judged by its target', async () => {
  const { assessment } = await lookUp(request('cat out/passwd'));
  expect(assessment.requiredPermissions?.[0]?.permission.resources).toMatchObject([{ value: '/etc/passwd' }]);
});

test('scripts and standard input are not read: only their exact bytes can be approved', async () => {
  if (!rules.ok) throw new Error(rules.failure.message);
  for (const kind of ['stdin', 'script', 'file'] as const)
    expect(await lookUpRequest(request('ls', { kind }), '/bin/bash', rules.value)).toBeNull();
});
