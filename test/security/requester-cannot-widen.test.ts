/**
 * A requester cannot widen what it may do. The server believes a host only about its own files.
 *
 * The server cannot check the host facts: which file a name means, where a path leads, who can change a program. So a requester that
 * lies about them can run what a standing scope would cover if the lie were true. For example, `git` may then be a program of the
 * requester, and a rule about files is compared with the path that the host reports. SECURITY.md lists this under `Not guaranteed`.
 *
 * No lie lets a requester do any of this:
 * - have a line read as another line
 * - have a line covered for another requester, host or user, or in another environment than was bound: the fingerprint has all of them
 * - have an opaque or critical line covered
 * - avoid a rule about words or operations
 * - give, widen or end a scope or policy
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { PermitPayload } from '../../src/core/wire/permit.ts';
import type { PolicyView } from '../../src/core/wire/policy.ts';
import { verifyPermit } from '../../src/grants/permit.ts';
import { nonce, type Person, TestServer } from '../component/server-fixture.ts';
import {
  askLine,
  hostFactsFor,
  lineRequest,
  PLAIN_HOST,
  PROJECT,
  payloadOf,
  pendingLine,
  scopeFor,
  standing,
} from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
beforeAll(async () => {
  server = await TestServer.start({ rules: allRules });
  owner = (await server.approverKey()).headers;
});
afterAll(() => server.stop());
beforeEach(async () => {
  agent = await server.requester();
});

const outcomeOf = async (text: string, hostFacts?: HostFacts | null) => {
  const request = lineRequest(text);
  const { body } = await server.ask(agent, text, request, hostFacts === undefined ? hostFactsFor(request) : hostFacts);
  return body.outcome ?? (body as { error: { code: string } }).error.code;
};

describe('a requester', () => {
  it('may not call any route that gives, previews or ends a scope, or makes or ends a policy', async () => {
    const grant = await pendingLine(server, agent, 'git log');
    const scope = scopeFor();
    const deny = { effect: 'deny', requesterId: null, text: 'x', pattern: null, reason: 'r' };
    const reading = {
      effect: 'allow-reading',
      requesterId: agent.id,
      directories: ['/home/agent/app'],
      environmentOf: grant.id,
    };
    const made = await server.call<PolicyView>('POST', '/v1/policies', owner, { ...deny, text: 'never this' });
    for (const [method, path, body] of [
      ['POST', `/v1/grants/${grant.id}/approve`, { version: 1, term: { kind: 'always' }, scope }],
      ['GET', `/v1/grants/${grant.id}/proposals`, undefined],
      ['POST', `/v1/grants/${grant.id}/preview`, { scope }],
      ['GET', '/v1/policies', undefined],
      ['POST', '/v1/policies', deny],
      ['POST', '/v1/policies', reading],
      ['POST', `/v1/policies/${made.body.id}/end`, undefined],
      ['DELETE', `/v1/policies/${made.body.id}/end`, undefined],
      ['GET', '/v1/requesters', undefined],
      ['GET', `/v1/requesters/${agent.id}/reading-evidence`, undefined],
    ] as const)
      expect([method, path, (await server.call(method, path, agent.headers, body)).status]).toEqual([
        method,
        path,
        403,
      ]);
    const { body } = await server.call<{ policies: PolicyView[] }>('GET', '/v1/policies', owner);
    expect(body.policies.map(({ id, endedAtMs }) => [id, endedAtMs])).toEqual([[made.body.id, null]]);
    expect(await outcomeOf('git log')).toBe('pending');
    await server.call('POST', `/v1/policies/${made.body.id}/end`, owner);
  });

  it('cannot send a scope, a coverage or an assessment with its request', async () => {
    const request = lineRequest('rm -rf /srv');
    const hostFacts = hostFactsFor(request);
    for (const more of [
      { scope: scopeFor() },
      { coveredBy: [{ grantId: 'g_x', title: 'x' }] },
      { assessment: { demands: [] } },
      { request: { ...request, scope: scopeFor() } },
      { findings: { ...hostFacts, demands: [] } },
      { proposedTerm: { kind: 'always', scope: scopeFor() } },
    ]) {
      const body = { request, nonce: nonce(), findings: hostFacts, ...more };
      expect((await server.call('POST', '/v1/requests', agent.headers, body)).status).toBe(400);
    }
    const grant = await server.call<{ grant: { scope: unknown } }>('POST', '/v1/requests', agent.headers, {
      request,
      nonce: nonce(),
      findings: hostFacts,
      touches: [{ what: 'nothing at all', count: 0, bytes: 0, items: [], isCut: false, note: null }],
    });
    expect([grant.status, grant.body.grant.scope]).toEqual([202, null]);
  });

  it('cannot use a scope with the host facts of another line: what they lack for this line is unknown', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    expect(await outcomeOf('git log -3')).toBe('permitted');
    for (const other of ['true', 'git status', 'git log'])
      expect([other, await outcomeOf('git log -- src/a', hostFactsFor(lineRequest(other)))]).toEqual([
        other,
        'pending',
      ]);
  });

  it('cannot make the server read a line as another line by false host facts', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const request = lineRequest('git push origin main');
    const found = hostFactsFor(request);
    for (const lie of [
      { ...found, bash: 'agrees' as const, names: found.names.map((each) => ({ ...each, name: 'git log' })) },
      { ...found, names: found.names.map((each) => ({ ...each, source: 'git log' })) },
      { ...found, names: found.names.map((each) => ({ ...each, resolution: { kind: 'builtin' as const } })) },
    ])
      expect(await outcomeOf('git push origin main', lie)).toBe('pending');
    const unsure = lineRequest('git log -3');
    expect(await outcomeOf(unsure.text, { ...hostFactsFor(unsure), bash: 'disagrees' })).toBe('pending');
    expect(await outcomeOf(unsure.text, { ...hostFactsFor(unsure), bash: 'unknown' })).toBe('pending');
  });

  it('can lie about where its own paths lead: the server then decides by the lie', async () => {
    const cat = scopeFor({
      operations: ['cat'],
      resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: PROJECT } }],
    });
    await standing(server, agent, owner, 'cat README.md', cat);
    const request = lineRequest('cat link');
    const honest = hostFactsFor(request, {
      ...PLAIN_HOST,
      resolvePath: (path, end) => (path.endsWith('/link') ? '/srv/other' : PLAIN_HOST.resolvePath(path, end)),
    });
    expect(await outcomeOf('cat link', honest)).toBe('pending');
    expect(await outcomeOf('cat link')).toBe('permitted');
    // The server records the lie: the permit contains its digest, and a pending request is stored with its text.
    expect(await outcomeOf('cat /srv/other')).toBe('pending');
  });

  it('cannot use a permit with other host facts than it sent', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const request = lineRequest('git log -3');
    const given = nonce();
    const hostFacts = hostFactsFor(request);
    const { body } = await server.call<{ permit: string }>('POST', '/v1/requests', agent.headers, {
      request,
      nonce: given,
      findings: hostFacts,
    });
    const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
    const payload = payloadOf(body.permit) as unknown as PermitPayload;
    const expected = {
      serverPublicKey: publicKey,
      subjectId: agent.id,
      fingerprint: payload.fingerprint,
      nonce: given,
      connectionKey: null,
      confinementLevel: 0,
    } as const;
    const check = (hostFactsDigest: string | null) =>
      verifyPermit(body.permit, { ...expected, findingsDigest: hostFactsDigest });
    expect(check(payload.findingsDigest ?? '').ok).toBe(true);
    expect(check('0'.repeat(64))).toMatchObject({ ok: false, failure: { code: 'protocol' } });
    expect(check(null)).toMatchObject({ ok: false, failure: { code: 'protocol' } });
  });

  it('cannot use the scope of another requester, nor claim another host or user', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const stranger = await server.requester('stranger', 'other-box');
    const as = async (by: Person, more: object) => (await askLine(server, by, 'git log -3', more)).status;
    expect(await as(stranger, { host: 'other-box' })).toBe(202);
    expect(await as(stranger, {})).toBe(400);
    expect(await as(agent, { user: 'root' })).toBe(400);
    expect(await as(agent, { environment: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }] })).toBe(202);
    expect(await as(agent, {})).toBe(200);
  });
});

describe('a scope or a policy', () => {
  it('never covers an opaque line', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const first = await pendingLine(server, agent, 'ls src');
    const reading = { effect: 'allow-reading', requesterId: agent.id, directories: [PROJECT], environmentOf: first.id };
    await server.call('POST', '/v1/policies', owner, reading);
    expect(await outcomeOf('git log -3 && ls src')).toBe('permitted');
    for (const line of [
      'git log $(date)',
      'git log `date`',
      'ls src; eval "ls"',
      'ls $X',
      'git -c core.pager=x log',
      'git log | sh',
      'bash -lc "git log"',
      'f() { ls; }; f',
      'alias ls=rm; ls src',
      'sudo git log',
      'unknown-tool --version',
      'ls src\nls "unclosed',
      'git log --outp=x',
    ])
      expect([line, await outcomeOf(line)]).toEqual([line, 'pending']);
    const dashed = { argv: ['-lc', 'git log -3'] };
    expect((await askLine(server, agent, 'git log -3', dashed)).body.outcome).toBe('pending');
    expect((await askLine(server, agent, 'git log -3', { argv: ['-c', 'rm -rf x'] })).body.outcome).toBe('pending');
  });

  it('covers an argv word for word, but not if its first word is a builtin, a reserved word, an assignment or empty', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const asArgv = async (...argv: string[]) =>
      (await askLine(server, agent, argv.join(' '), { kind: 'argv', argv })).body.outcome;
    expect(await asArgv('git', 'log', '-3')).toBe('permitted');
    expect(await asArgv('git', 'log', '--', '$(date)')).toBe('permitted'); // no shell expands this word
    for (const argv of [['cd', 'src'], ['X=1', 'git'], ['exec', 'git', 'log'], ['command', 'git', 'log'], ['if'], ['']])
      expect([argv, await asArgv(...argv)]).toEqual([argv, 'pending']);
    // The text of an argv is only shown. The argv itself decides what is covered.
    const lying = { kind: 'argv' as const, argv: ['rm', '-rf', 'src'] };
    const answer = await server.ask(
      agent,
      'git log',
      lineRequest('git log', lying),
      hostFactsFor(lineRequest('git log', lying)),
    );
    expect(answer.body.outcome).toBe('pending');
  });
});

describe('a policy that forbids', () => {
  const made: string[] = [];
  const forbid = async (rule: object) => {
    const body = { effect: 'deny', requesterId: null, text: null, pattern: null, reason: 'never', ...rule };
    const answer = await server.call<PolicyView>('POST', '/v1/policies', owner, body);
    made.push(answer.body.id);
  };
  afterEach(async () => {
    for (const id of made.splice(0)) await server.call('POST', `/v1/policies/${id}/end`, owner);
  });

  it('forbids commands anywhere in a line, also under an exact standing grant and when a grant is redeemed', async () => {
    const lines = [
      'rm -rf build',
      'true && rm -rf build',
      'timeout 5 rm -rf build',
      "bash -c 'rm -rf build'",
      'echo $(rm -rf build)',
      'sudo -n /bin/rm -rf build',
      'if true; then rm -rf build; fi',
    ];
    const grants = [];
    for (const line of lines) {
      const grant = await pendingLine(server, agent, line);
      await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
      expect([line, await outcomeOf(line)]).toEqual([line, 'permitted']);
      grants.push(grant);
    }
    await forbid({ pattern: { operations: ['rm'], resources: [] } });
    for (const [at, line] of lines.entries()) {
      expect([line, await outcomeOf(line)]).toEqual([line, 'policy.denied']);
      expect([line, await outcomeOf(line, null)]).toEqual([line, 'policy.denied']);
      expect([line, (await server.redeem(agent, grants[at] ?? { id: '', fingerprint: '' })).status]).toEqual([
        line,
        403,
      ]);
    }
    for (const grant of grants)
      expect((await server.call<{ uses: number }>('GET', `/v1/grants/${grant.id}`, owner)).body.uses).toBe(1);
  });

  it('forbids its words anywhere in a line, and in scripts and standard input', async () => {
    await forbid({ text: '*prod-db*' });
    for (const line of ['psql prod-db', 'echo x; psql -h prod-db', "ssh web 'psql prod-db'"])
      expect([line, await outcomeOf(line)]).toEqual([line, 'policy.denied']);
    for (const kind of ['stdin', 'script'] as const) {
      const request = lineRequest('psql prod-db', { kind, argv: ['x'] });
      expect((await server.ask(agent, request.text, request)).status).toBe(403);
    }
  });

  it('cannot be avoided by sending no host facts, or only some: then even a standing grant does not cover the line', async () => {
    const grant = await pendingLine(server, agent, 'cat link');
    await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
    const pattern = {
      operations: ['*'],
      resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: '/srv/secret' } }],
    };
    await forbid({ pattern });
    const found = hostFactsFor(lineRequest('cat link'));
    expect(await outcomeOf('cat link', null)).toBe('pending');
    expect(await outcomeOf('cat link', { ...found, paths: [] })).toBe('pending');
    expect(await outcomeOf('cat link', found)).toBe('permitted');
  });
});
