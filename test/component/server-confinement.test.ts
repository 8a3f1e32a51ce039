/** The confinement that a real server signs for a line under a standing grant, at the level of the requester's host. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { ExplainAnswer } from '../../src/core/wire/explain.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PolicyView } from '../../src/core/wire/policy.ts';
import type { PreviewAnswer, ProposalsAnswer } from '../../src/core/wire/proposals.ts';
import type { WhyAnswer } from '../../src/core/wire/why.ts';
import { verifyPermit } from '../../src/grants/permit.ts';
import { commandScopeHtml } from '../../src/web/cards/command-scope-choice.ts';
import { grantCard } from '../../src/web/cards/grant-card.ts';
import { allRules } from '../core/rule-effects.ts';
import { nonce, type Person, TestServer } from './server-fixture.ts';
import { hostFactsFor, lineRequest, PLAIN_HOST, PROJECT, payloadOf, scopeFor } from './server-lines.ts';

const LEVELS: readonly ConfinementLevel[] = [0, 1, 2, 3];

let directory: string;
let server: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
let skipMs = 0;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ape-confinement-'));
  const clock = () => Date.now() + skipMs;
  server = await TestServer.start({ rules: allRules, directory, database: join(directory, 'grants.db'), clock });
  owner = (await server.approverKey()).headers;
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  agent = await server.requester();
});

const withLevel = (request: ExecutionRequest, level: ConfinementLevel | null): HostFacts => {
  const { confinementLevel: _, ...old } = hostFactsFor(request);
  return level === null ? old : { ...old, confinementLevel: level };
};
/** Asks as a host whose kernel reaches this level. Null stands for a host of a version without levels. */
const ask = (text: string, level: ConfinementLevel | null, given = nonce()) => {
  const request = lineRequest(text);
  const body = { request, nonce: given, findings: withLevel(request, level) };
  return server.call<AskAnswer & ErrorBody>('POST', '/v1/requests', agent.headers, body);
};
const permitted = async (text: string, level: ConfinementLevel | null) => {
  const { body } = await ask(text, level);
  return body.outcome === 'permitted' ? (payloadOf(body.permit)['confinement'] ?? 'nothing') : body.outcome;
};
const pending = async (text: string, level: ConfinementLevel | null): Promise<GrantView> => {
  const { body } = await ask(text, level);
  if (body.outcome !== 'pending') throw new Error(JSON.stringify(body));
  return body.grant;
};
const approve = (grant: GrantView, more: object) =>
  server.decide(owner, grant.id, 'approve', { version: grant.version, term: { kind: 'always' }, ...more });
const levelled = (confinement: ConfinementLevel | undefined): CommandScope => {
  const { confinement: _, ...conditions } = scopeFor().conditions;
  return scopeFor({}, { conditions: confinement === undefined ? conditions : { ...conditions, confinement } });
};
const explain = async (text: string, level: ConfinementLevel) => {
  const request = lineRequest(text);
  const body = { request, findings: withLevel(request, level) };
  return (await server.call<ExplainAnswer>('POST', '/v1/explain', agent.headers, body)).body;
};
const events = async (kind: string) => {
  type Event = { kind: string; grantId: string | null; facts: Record<string, unknown> };
  const { body } = await server.call<{ events: Event[] }>('GET', '/v1/audit?limit=1000', owner);
  return body.events.filter((each) => each.kind === kind);
};

const LOG = { read: [PROJECT, '/usr/bin/git'], write: [], connect: [], readOnly: [], tools: ['git'] };

describe('a line that a standing grant covers', () => {
  it('runs with a permit that has its confinement, at the level of its host, and the confinement is recorded', async () => {
    const { body: grant } = await approve(await pending('git log', 2), { scope: levelled(2) });
    expect(await permitted('git log -3', 2)).toMatchObject({ level: 2, ...LOG });
    expect(await permitted('git log -3', 3)).toMatchObject({ level: 3, ...LOG });
    const used = (await events('grant.used')).filter(({ grantId }) => grantId === grant.id);
    expect(used.map(({ facts }) => facts['confinement'])).toEqual([2, 3]);
    const why = await server.call<WhyAnswer>('GET', `/v1/grants/${grant.id}/why`, agent.headers);
    expect(why.body.uses.map(({ confinement }) => confinement)).toEqual([3, 2]);
    expect((await events('grant.approved')).at(-1)?.facts['confinement']).toBe(2);
  });

  it("waits for an approver if the host's level is lower than the approved level, and the answer says so", async () => {
    await approve(await pending('git log', 3), { scope: levelled(3) });
    for (const level of [0, 1, 2, null] as const) expect(await permitted('git log -3', level)).toBe('pending');
    expect(await explain('git log -3', 2)).toMatchObject({
      outcome: 'uncovered',
      misses: [expect.stringContaining('demands confinement level 3, and this host does not reach it now')],
    });
    expect(await explain('git log -3', 3)).toMatchObject({ outcome: 'covered', held: { level: 3, ...LOG } });
  });

  it('waits for an approver after the end of the approval; apes explain says so before the first use after it', async () => {
    const term = { kind: 'timed', untilMs: Date.now() + 60_000 };
    await approve(await pending('git log', 2), { scope: levelled(2), term });
    expect(await explain('git log -3', 2)).toMatchObject({ outcome: 'covered' });
    skipMs = 120_000;
    expect(await explain('git log -3', 2)).toMatchObject({ outcome: 'uncovered' });
    skipMs = 0;
  });

  it('runs unconfined only if exactly that was approved, and its permit says so', async () => {
    await approve(await pending('git log', 0), { scope: levelled(0) });
    expect(await permitted('git log -3', 0)).toEqual({ level: 0 });
    expect(await permitted('git log -4', 3)).toMatchObject({ level: 3 });
    expect((await events('grant.used')).at(-2)?.facts['confinement']).toBe(0);
  });

  it('does not run unconfined because of a scope without a level', async () => {
    const refused = await approve(await pending('git log', 0), { scope: levelled(undefined) });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'scope.not_covering']);
    agent = await server.requester();
    await approve(await pending('git log', 1), { scope: levelled(undefined) });
    expect(await permitted('git log -3', 1)).toMatchObject({ level: 1 });
    expect(await permitted('git log -3', 0)).toBe('pending');
    expect(await permitted('git log -3', null)).toBe('pending');
  });

  it('cannot be approved at a level that its host does not reach', async () => {
    const refused = await approve(await pending('git log', 1), { scope: levelled(3) });
    expect(refused.body.error).toMatchObject({
      code: 'scope.not_covering',
      message: expect.stringContaining('level 3'),
    });
  });

  it('has a permit that a client of another level refuses', async () => {
    await approve(await pending('git log', 1), { scope: levelled(1) });
    const { publicKey } = (await server.call<{ publicKey: string }>('GET', '/v1/server')).body;
    const given = nonce();
    const { body } = await ask('git log -3', 2, given);
    if (body.outcome !== 'permitted') throw new Error(JSON.stringify(body));
    const payload = payloadOf(body.permit) as { fingerprint: string; findingsDigest: string };
    const check = (confinementLevel: ConfinementLevel) =>
      verifyPermit(body.permit, {
        serverPublicKey: publicKey,
        subjectId: agent.id,
        fingerprint: payload.fingerprint,
        nonce: given,
        findingsDigest: payload.findingsDigest,
        connectionKey: null,
        confinementLevel,
      }).ok;
    expect(LEVELS.map(check)).toEqual([false, false, true, false]);
  });

  it('waits for an approver if no confinement is possible for it', async () => {
    const exact = { kind: 'path', access: ['write'], values: { match: 'exact', value: '/srv/log/x' } } as const;
    const scope = scopeFor({ operations: ['shell'], resources: [exact], highestRisk: 'high' });
    const waiting = await pending('echo x > /srv/log/x', 3);
    const refused = await approve(waiting, {
      scope: { ...scope, conditions: { ...scope.conditions, confinement: 3 } },
    });
    expect(refused.body.error.message).toContain('the approval does not reach its directory');
  });
});

describe('a reading policy', () => {
  it('confines what it lets run at the level of the host for which it was made', async () => {
    const past = await pending('git log', 2);
    const policy = await server.call<PolicyView>('POST', '/v1/policies', owner, {
      effect: 'allow-reading',
      requesterId: agent.id,
      directories: [PROJECT],
      environmentOf: past.id,
    });
    expect(policy.body).toMatchObject({ rule: { conditions: { confinement: 2 } } });
    expect(await permitted('git status', 2)).toMatchObject({ level: 2, write: [], connect: [] });
    expect(await permitted('cat a b', 1)).toBe('pending');
    expect((await events('policy.used')).at(-1)?.facts['confinement']).toBe(2);
  });
});

describe('an exact approval', () => {
  const redeemed = async (grant: GrantView) => {
    const { body } = await server.redeem(agent, grant);
    return payloadOf(body.permit)['confinement'] ?? 'nothing';
  };

  it('runs unconfined, or confined if its approver chose so, in whatever way the approval is used', async () => {
    expect((await approve(await pending('ls', 3), {})).body.confinement).toBeNull();
    expect(await permitted('ls', 3)).toBe('nothing');
    const waiting = await pending('echo x > src/out', 3);
    const { body: grant } = await approve(waiting, { confined: true });
    expect(grant.confinement).toMatchObject({ level: 3, write: [`${PROJECT}/src`], connect: [] });
    expect(await redeemed(grant)).toEqual(grant.confinement);
    expect(await permitted('echo x > src/out', 3)).toEqual(grant.confinement);
    expect((await events('grant.used')).at(-1)?.facts['confinement']).toBe(3);
    expect(await explain('echo x > src/out', 3)).toMatchObject({
      outcome: 'covered',
      isExact: true,
      held: { level: 3 },
    });
  });

  it('cannot be confined if the line is opaque, if the host confines nothing, or beside a scope', async () => {
    const codeOf = async (text: string, level: ConfinementLevel, more: object = {}) =>
      (await approve(await pending(text, level), { confined: true, ...more })).body.error;
    expect(await codeOf('eval "$x"', 3)).toMatchObject({ code: 'scope.unfit' });
    expect(await codeOf('ls', 0)).toMatchObject({ message: expect.stringContaining('whose kernel cannot confine it') });
    expect(await codeOf('git log', 3, { scope: levelled(3) })).toMatchObject({ code: 'scope.unfit' });
    expect(await permitted('git log', 3)).toBe('pending');
  });
});

describe('the confinement that an approver is shown', () => {
  const offered = async (text: string, level: ConfinementLevel) => {
    const grant = await pending(text, level);
    const { body } = await server.call<ProposalsAnswer>('GET', `/v1/grants/${grant.id}/proposals`, owner);
    return { grant, proposals: body.proposals, page: commandScopeHtml(grant.id, body.proposals)?.text ?? '' };
  };

  it('is that of each scope, with what the host cannot confine', async () => {
    const full = await offered('npm test', 3);
    expect(
      full.proposals.map(({ scope }) => (scope?.kind === 'commands' ? scope.conditions.confinement : null)),
    ).toEqual(full.proposals.map(({ scope }) => (scope === null ? null : 3)));
    expect(full.page).toContain('Held by the kernel to: reads /home/agent/app');
    expect(full.page).toContain('class="confined"');
    expect(full.page).not.toContain('This host cannot');
    agent = await server.requester();
    const some = await offered('npm test', 1);
    expect(some.page).toContain('This host cannot keep .git, .claude, .envrc, .vscode');
    expect(some.page).toContain('This host cannot confine network connections');
    agent = await server.requester();
    const none = await offered('npm test', 0);
    expect(none.page).toContain('Not confined: the kernel of this host');
    expect(none.page).not.toContain('class="confined"');
  });

  it('is on the card of an approved request', async () => {
    const { body: grant } = await approve(await pending('git log', 3), { scope: levelled(3) });
    expect(grantCard(grant).text).toContain('at level 3 (files, TCP and places kept read-only) or more');
    const { body: exact } = await approve(await pending('ls src', 3), { confined: true });
    expect(grantCard(exact).text).toContain('reads /home/agent/app/src');
  });

  it('is plain text, whatever the name of a directory is', async () => {
    const cwd = '/home/agent/<b>x</b>';
    const request = lineRequest('ls', { cwd });
    const hostFacts = {
      ...hostFactsFor(request, { ...PLAIN_HOST, repositoryOf: () => cwd }),
      confinementLevel: 3 as const,
    };
    const answer = await server.call<AskAnswer>('POST', '/v1/requests', agent.headers, {
      request,
      nonce: nonce(),
      findings: hostFacts,
    });
    if (answer.body.outcome !== 'pending') throw new Error('not pending');
    const { id } = answer.body.grant;
    const { body } = await server.call<ProposalsAnswer>('GET', `/v1/grants/${id}/proposals`, owner);
    const page = commandScopeHtml(id, body.proposals)?.text ?? '';
    expect(page).toContain('Held by the kernel to');
    expect(page).not.toContain('<b>');
  });

  it('changes with an edited scope', async () => {
    const grant = await pending('git log', 3);
    const { body } = await server.call<PreviewAnswer>('POST', `/v1/grants/${grant.id}/preview`, owner, {
      scope: levelled(3),
    });
    expect(body).toMatchObject({ outcome: 'fits', held: { level: 3, ...LOG } });
  });
});
