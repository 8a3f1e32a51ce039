/** A host looks names and paths up on a real disk, and a server that sees none of these files makes the same assessment from the host facts. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'unbash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assessByHostFacts } from '../../src/core/effects/assess-request.ts';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { LineReading } from '../../src/core/reading/line-reading.ts';
import { namesToAsk } from '../../src/core/reading/names-to-ask.ts';
import { lookUpRequest } from '../../src/gate/facts/look-up.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { allRules } from '../core/rule-effects.ts';
import { clientOf } from './file-stage.ts';
import { type Person, requestFor, TestServer } from './server-fixture.ts';
import { scopeFor } from './server-lines.ts';

let directory: string;
let project: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'ape-look-')));
  project = join(directory, 'project');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'a.txt'), 'a\n');
  symlinkSync('/etc/hostname', join(project, 'link'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const environment = [
  { name: 'HOME', value: '/root' },
  { name: 'PATH', value: '/usr/bin:/bin' },
];
const requestOf = (text: string, more: Partial<ExecutionRequest> = {}) =>
  requestFor(text, { argv: ['-c', text], cwd: project, environment, ...more });
const sent = (hostFacts: HostFacts | null) => JSON.parse(JSON.stringify(hostFacts)) as HostFacts | null;

describe('what a host looked up', () => {
  it.each([
    'cat a.txt | sort -u',
    'cd src && ls -l > ../out',
    'cat link',
    'rm -rf src/*',
    'timeout 5 find . -name "*.ts"',
    "bash -c 'ls src; echo x'",
    'echo $(date)',
    'no-such-program --x',
    'if then fi',
    'cp "$X" src',
  ])('is all that a server needs to assess %s', async (text) => {
    for (const request of [requestOf(text), requestOf(text, { kind: 'line', argv: [] })]) {
      const looked = await lookUpRequest(request, '/bin/bash', allRules);
      const there = assessByHostFacts(request, sent(looked?.hostFacts ?? null), { rules: allRules, parse });
      expect(there).toEqual({ ...looked?.assessment, isComplete: true });
    }
  });

  it.each([
    [['echo', 'x']],
    [['timeout', '5', 'ls', '-l', '$(date)']],
    [['cd', 'src']],
    [['X=1', 'ls']],
    [['[', 'a', ']']],
  ])('of the program %j, which no shell reads, is all that a server needs', async (argv) => {
    const request = requestOf('', { kind: 'argv', argv });
    const looked = await lookUpRequest(request, '/bin/bash', allRules);
    const there = assessByHostFacts(request, sent(looked?.hostFacts ?? null), { rules: allRules, parse });
    expect(there).toEqual({ ...looked?.assessment, isComplete: true });
    const runs = (there.requiredPermissions ?? []).flatMap(({ programs }) => programs.map(({ realPath }) => realPath));
    if (argv[0] === 'echo') expect(runs).toEqual([realpathSync('/usr/bin/echo')]);
    if (argv[0] === 'cd' || argv[0] === 'X=1') expect(there.requiredPermissions).toBeNull();
  });

  it('is never enough if start-up files run first', async () => {
    for (const more of [
      { argv: ['-lc', 'ls src'] },
      { environment: [{ name: 'BASH_ENV', value: '/x' }, ...environment] },
    ]) {
      const request = requestOf('ls src', more);
      const looked = await lookUpRequest(request, '/bin/bash', allRules);
      expect(looked?.assessment.requiredPermissions).toBeNull();
      expect(
        assessByHostFacts(request, sent(looked?.hostFacts ?? null), { rules: allRules, parse }).requiredPermissions,
      ).toBeNull();
    }
  });

  it('takes a line that was read already without reading it again, and never a line of another text', async () => {
    const parsed: string[] = [];
    const counting: typeof parse = (text) => {
      parsed.push(text);
      return parse(text);
    };
    const read = new LineReading('ls -l', counting);
    expect(namesToAsk(new LineReading('ls -l $X', counting), counting)).toEqual([]);
    expect(parsed).toEqual(['ls -l $X']);
    const looked = await lookUpRequest(requestOf('ls -l'), '/bin/bash', allRules, 0, read);
    expect(looked).toEqual(await lookUpRequest(requestOf('ls -l'), '/bin/bash', allRules));
    await lookUpRequest(requestOf('ls -l'), '/bin/bash', allRules, 0, read);
    expect(parsed).toEqual(['ls -l $X', 'ls -l']);
    const other = await lookUpRequest(requestOf('cat a.txt'), '/bin/bash', allRules, 0, read);
    expect(other?.assessment.commands.map(({ command }) => command.source)).toEqual(['cat a.txt']);
  });

  it.each([
    ['for long\\\nname in a; do cat "$longname"; done', ['*']],
    ["read $'\\x76'", ['v']],
    ["export $'\\x76=1'", ['v']],
    ['for v in a; do cat "$v"; done; x=1', []],
    ["'a b' x", ['a b']],
    ['"a;b"', ['a;b']],
    ["'ls' -l | cat", []],
  ])('%j: bash is asked about the names that are no written words', (text, names) => {
    expect(namesToAsk(new LineReading(text, parse), parse)).toEqual(names);
  });

  it('is nothing for a script, for standard input or for a file tool', async () => {
    for (const kind of ['stdin', 'script', 'file'] as const)
      expect(await lookUpRequest(requestOf('ls', { kind }), '/bin/bash', allRules)).toBeNull();
  });
});

describe('a client', () => {
  let server: TestServer;
  let agent: Person;
  let client: GrantClient;
  beforeAll(async () => {
    server = await TestServer.start({ rules: allRules });
    agent = await server.requester();
    client = await clientOf(server, agent, join(directory, 'state'));
  });
  afterAll(() => server.stop());

  it('asks twice for a line that only a scope covers, and gets a permit that binds the host facts', async () => {
    const owner = (await server.approverKey()).headers;
    const ask = async (text: string, hostFacts?: HostFacts | null) => {
      const request = requestOf(text);
      const asked = await askGrant(
        client,
        request,
        fingerprintOf(request),
        hostFacts === undefined ? {} : { findings: hostFacts },
      );
      if (!asked.ok) throw new Error(asked.failure.message);
      return asked.value;
    };
    const found = async (text: string) =>
      (await lookUpRequest(requestOf(text), '/bin/bash', allRules))?.hostFacts ?? null;
    expect(await ask('cat a.txt')).toEqual({ kind: 'wants-findings' });
    const filed = await ask('cat a.txt', await found('cat a.txt'));
    if (filed.kind !== 'pending') throw new Error(filed.kind);
    const conditions = {
      host: 'box',
      user: 'agent',
      cwdBelow: project,
      hours: null,
      environment,
      confinement: 0,
    } as const;
    const resources = [
      { kind: 'path' as const, access: ['read' as const], values: { match: 'below' as const, value: project } },
    ];
    const scope = scopeFor({ operations: ['cat'], resources }, { conditions });
    const given = await server.decide(owner, filed.grant.id, 'approve', {
      version: 1,
      term: { kind: 'always' },
      scope,
    });
    expect(given.status).toBe(200);
    expect(await ask('cat ./a.txt')).toEqual({ kind: 'wants-findings' });
    expect(await ask('cat ./a.txt', await found('cat ./a.txt'))).toMatchObject({
      kind: 'permitted',
      payload: { coveredBy: [{ grantId: filed.grant.id }] },
    });
    expect((await ask('cat link', await found('cat link'))).kind).toBe('pending');
    expect((await ask('cat src/none', null)).kind).toBe('pending');
  });

  it('gets the name of the rule that forbids the line, and the advice not to try again', async () => {
    const owner = (await server.approverKey()).headers;
    const rule = {
      effect: 'deny',
      requesterId: null,
      text: 'reboot*',
      pattern: null,
      reason: 'the others work here too',
    };
    await server.call('POST', '/v1/policies', owner, rule);
    const request = requestOf('reboot now');
    const asked = await askGrant(client, request, fingerprintOf(request));
    expect(asked).toMatchObject({
      ok: false,
      failure: {
        code: 'refused',
        detail: 'policy.denied',
        message: expect.stringContaining('the others work here too'),
      },
    });
  });
});
