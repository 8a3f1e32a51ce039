/**
 * Variables that come with a request and may decide what runs. Wherever the risk is used, they raise it as if the line itself set them,
 * until an approval at that risk knew the same variables.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantDetails } from '../../src/cli/grants/grant-details.ts';
import { verdictText } from '../../src/cli/grants/verdict.ts';
import type { Assessment } from '../../src/core/effects/assess-line.ts';
import type { Grant } from '../../src/core/grant/grant.ts';
import type { EnvironmentEntry } from '../../src/core/grant/request.ts';
import { partRequest, planText } from '../../src/core/plan/plan.ts';
import type { ExplainAnswer } from '../../src/core/wire/explain.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PlanSheet } from '../../src/core/wire/plan.ts';
import type { ProposalsAnswer } from '../../src/core/wire/proposals.ts';
import type { WhyAnswer } from '../../src/core/wire/why.ts';
import { pendingAssessmentLines } from '../../src/run/assessment-lines.ts';
import { newlyDecidingIn } from '../../src/server/grants/newly-deciding.ts';
import { setQuorum } from '../../src/server/identity/people-administration.ts';
import type { StoreReader } from '../../src/store/store.ts';
import { allRules } from '../core/rule-effects.ts';
import { addChannel, prefer, startReceiver, until } from './notification-sinks.ts';
import { ownerWithDevice } from './passkey-person.ts';
import { type Person, TestServer } from './server-fixture.ts';
import { askLine, hostFactsFor, lineRequest, PROJECT, pendingLine } from './server-lines.ts';

type Headers = Readonly<Record<string, string>>;
let server: TestServer;
let agent: Person;
let owner: Headers;
beforeEach(async () => {
  server = await TestServer.start({ rules: allRules });
  agent = await server.requester();
  owner = await server.owner();
});
afterEach(() => server.stop());

const USUAL = [
  { name: 'HOME', value: '/home/agent' },
  { name: 'PATH', value: '/usr/bin' },
];
const PRELOAD = { name: 'LD_PRELOAD', value: '/tmp/evil.so' };
const withVariables = (...more: readonly EnvironmentEntry[]) => ({
  environment: [...USUAL, ...more].sort((one, other) => (one.name < other.name ? -1 : 1)),
});
let day = 0;
/** A different line of low risk each time. */
const low = () => `date -u -d @${day++}`;
const ask = (...more: readonly EnvironmentEntry[]) => pendingLine(server, agent, low(), withVariables(...more));
const ONCE = { kind: 'once' };
/** Approves as one tap does, without a number. */
const tap = (grant: GrantView, term: object = ONCE, by = owner) =>
  server.call<{ state: string; error: { code: string } }>('POST', `/v1/grants/${grant.id}/approve`, by, {
    version: grant.version,
    term,
  });
const approveWithNumber = (grant: GrantView) =>
  server.decide(owner, grant.id, 'approve', { version: grant.version, term: ONCE });
const needsNumber = async (grant: GrantView) => (await tap(grant)).body.error?.code === 'match.needed';
const pageOf = async (path: string) => (await server.call<string>('GET', path, owner)).body;
const plain = (page: string) => page.replaceAll(/<[^>]*>/g, '');

describe('a variable that comes with a line of low risk and may decide what runs', () => {
  it('makes the requester show a number at once', async () => {
    const { body } = await askLine(server, agent, low(), withVariables(PRELOAD));
    expect(body).toMatchObject({ outcome: 'pending', grant: { match: expect.stringMatching(/^\d\d$/) } });
    expect((await askLine(server, agent, low())).body).not.toHaveProperty('grant.match');
  });

  it('needs the number, for "once" and for "always"', async () => {
    expect((await tap(await ask(PRELOAD))).body.error?.code).toBe('match.needed');
    expect((await tap(await ask(PRELOAD), { kind: 'always' })).body.error?.code).toBe('match.needed');
    expect((await tap(await ask())).body.state).toBe('approved');
  });

  it('is on the card with its value, as the reason for the risk, and the card offers numbers', async () => {
    const page = await pageOf(`/grants/${(await ask(PRELOAD)).id}`);
    expect(page).toContain('Unknown: treat as critical');
    expect(plain(page)).toContain('LD_PRELOAD decides what runs: the risk is not known.');
    expect(plain(page)).toContain('LD_PRELOAD: /tmp/evil.so');
    expect(page).toContain('data-match=');
    const [shown = ''] = page.split('<details class="environment"');
    expect(plain(shown).match(/LD_PRELOAD/g), 'named once as the reason, and once with its value').toHaveLength(2);
    expect(page).not.toContain('<details class="environment" open');
    const usual = await pageOf(`/grants/${(await ask()).id}`);
    expect(usual).toContain('Low risk');
    expect(usual).not.toContain('decides what runs');
  });

  it('is in the inbox, as the reason for the risk', async () => {
    await ask(PRELOAD);
    const page = await pageOf('/');
    expect(page).toContain('data-risk="unknown"');
    expect(plain(page)).toContain('LD_PRELOAD decides what runs');
  });

  it('prevents approving requests together', async () => {
    for (let count = 0; count < 3; count += 1) await ask(PRELOAD);
    const page = await pageOf('/');
    expect(page).toContain('Deny all 3');
    expect(page).not.toContain('Approve all 3');
  });

  it('needs a passkey if the owner requires one above low risk', async () => {
    const { headers } = await ownerWithDevice(server);
    await server.call('POST', '/v1/approval-settings', headers, { passkeyAbove: 'low' });
    const body = { version: 1, term: ONCE };
    expect((await server.decide(headers, (await ask()).id, 'approve', body)).status).toBe(200);
    expect((await server.decide(headers, (await ask(PRELOAD)).id, 'approve', body)).status).toBe(403);
  });

  it('needs as many people as a critical risk', async () => {
    await setQuorum(server.running.store, { critical: 2 }, { nowMs: Date.now() });
    expect((await tap(await ask())).body.state).toBe('approved');
    expect((await approveWithNumber(await ask(PRELOAD))).body.state).toBe('pending');
  });

  it('is beyond the limits of an approver for low risk', async () => {
    const eve = await server.person('Eve', 'approver', { requesters: null, hosts: null, upTo: 'low' });
    expect((await tap(await ask(), ONCE, eve.headers)).body.state).toBe('approved');
    expect((await tap(await ask(PRELOAD), ONCE, eve.headers)).body.error.code).toBe('approver.limits');
  });

  it('is in the proposals and in `apes grants show`', async () => {
    const grant = await ask(PRELOAD);
    const { body } = await server.call<ProposalsAnswer>('GET', `/v1/grants/${grant.id}/proposals`, owner);
    expect(body.assessment).toMatchObject({ risk: null, deciding: ['LD_PRELOAD'] });
    expect(body.proposals.length).toBeGreaterThan(1); // a scope binds the variables
    const why = await server.call<WhyAnswer>('GET', `/v1/grants/${grant.id}/why`, agent.headers);
    const text = grantDetails(why.body, Date.now());
    expect(text).toContain('complete, risk unknown: treat it as critical');
    expect(text).toContain('LD_PRELOAD decides what runs');
  });

  it('is named by `apes explain`, until an approval knew it', async () => {
    const explain = async () => {
      const request = { ...lineRequest(low()), ...withVariables(PRELOAD) };
      const asked = { request, findings: hostFactsFor(request) };
      const { body } = await server.call<ExplainAnswer>('POST', '/v1/explain', agent.headers, asked);
      return verdictText({ ok: true, value: body });
    };
    expect(await explain()).toContain(
      'the risk is unknown: LD_PRELOAD decides what runs; no request with these values was approved before',
    );
    await approveWithNumber(await ask(PRELOAD));
    expect(await explain()).not.toContain('LD_PRELOAD');
  });

  it('removes from the pending block the sentence that one decision can cover other commands', async () => {
    const block = async (...more: readonly EnvironmentEntry[]) => {
      const { body } = await askLine(server, agent, low(), withVariables(...more));
      const assessment = { opaque: [], requiredPermissions: [], risk: 'low' } as unknown as Assessment;
      return pendingAssessmentLines(assessment, (body as { readonly grant: GrantView }).grant).join('\n');
    };
    expect(await block()).toMatch(/risk: +low; one decision can cover/);
    expect(await block(PRELOAD)).toMatch(/risk: +unknown, because LD_PRELOAD decides what runs$/);
  });

  it('is looked up once for all requests of a page with the same requester and variables', async () => {
    const asked: string[] = [];
    const approvedNone = (requesterId: string) => {
      asked.push(requesterId);
      return Promise.resolve(false);
    };
    const store = { hasApprovedDeciding: approvedNone, grants: () => Promise.resolve([]) };
    const decidingOf = newlyDecidingIn(store as unknown as StoreReader);
    const request = (value: string) => ({
      ...lineRequest('date'),
      ...withVariables({ name: 'LD_PRELOAD', value }),
    });
    const of = (requesterId: string, value: string) =>
      decidingOf({ id: value, state: 'pending', requesterId, request: request(value) } as unknown as Grant);
    const found = await Promise.all([of('r-1', '/a.so'), of('r-1', '/a.so'), of('r-2', '/a.so'), of('r-1', '/b.so')]);
    expect(found.map(([entry]) => entry?.value)).toEqual(['/a.so', '/a.so', '/a.so', '/b.so']);
    expect(asked).toEqual(['r-1', 'r-2', 'r-1']);
  });

  it('makes the risk of the parts of a plan unknown, so that the plan needs the number', async () => {
    const plan = {
      order: false,
      end: { forMs: 3_600_000 },
      parts: [{ text: low(), cwd: PROJECT, as: 'exact' as const, uses: 1 }],
    };
    const file = (...more: readonly EnvironmentEntry[]) => {
      const request = {
        ...lineRequest(''),
        ...withVariables(...more),
        kind: 'plan' as const,
        text: planText(plan, lineRequest('').cwd),
        plan,
      };
      const asked = { ...request, argv: [] };
      const findings = plan.parts.map((part) => hostFactsFor(partRequest(asked, part)));
      return server.call<{ grant: GrantView }>('POST', '/v1/plans', agent.headers, { request: asked, findings });
    };
    const risks = async ({ id }: GrantView) =>
      (await server.call<PlanSheet>('GET', `/v1/plans/${id}`, owner)).body.parts.map(({ risk }) => risk);
    const [usual, odd] = [(await file()).body.grant, (await file(PRELOAD)).body.grant];
    expect([await risks(usual), usual.match]).toEqual([['low'], undefined]);
    expect([await risks(odd), odd.match]).toEqual([['unknown'], expect.stringMatching(/^\d\d$/)]);
    expect(await pageOf(`/grants/${odd.id}`)).toContain('LD_PRELOAD decides what runs');
  });

  it('is notified, with the reason, also to an approver who wants to know of critical risks only', async () => {
    const receiver = await startReceiver();
    const settings = { relay: null, allowedHosts: [receiver.host] };
    const notifying = await TestServer.start({ rules: allRules, notifications: settings });
    try {
      const [person, asking] = [await notifying.owner(), await notifying.requester()];
      await addChannel(notifying, person, { kind: 'webhook', name: 'hook', url: `${receiver.url}/hook` });
      await prefer(notifying, person, { minimumRisk: 'critical', shows: 'all' });
      await pendingLine(notifying, asking, low());
      const grant = await pendingLine(notifying, asking, low(), withVariables(PRELOAD));
      await until(
        () => receiver.received.length,
        (length) => length > 0,
      );
      const sent = receiver.received.map(({ body }) => JSON.parse(body.toString()));
      expect(sent.map(({ data }) => [data.grantId, data.risk])).toEqual([[grant.id, 'unknown']]);
      expect(sent[0].data.riskReason).toBe('LD_PRELOAD decides what runs');
    } finally {
      await notifying.stop();
      await receiver.stop();
    }
  });
});

/** The variables that the profile of a developer's machine adds to a plain environment. */
const DEVELOPER = [
  ['CARGO_HOME', '/home/agent/.cargo'],
  ['CONDA_EXE', '/opt/conda/bin/conda'],
  ['CONDA_PREFIX', '/opt/conda'],
  ['DOCKER_HOST', 'unix:///run/user/1000/docker.sock'],
  ['EDITOR', 'vim'],
  ['GOPATH', '/home/agent/go'],
  ['JAVA_HOME', '/usr/lib/jvm/default'],
  ['LANG', 'en_US.UTF-8'],
  ['NODE_EXTRA_CA_CERTS', '/etc/ssl/certs/corporate.pem'],
  ['NVM_DIR', '/home/agent/.nvm'],
  ['PAGER', 'less'],
  ['SHELL', '/bin/bash'],
  ['SSL_CERT_FILE', '/etc/ssl/certs/ca-certificates.crt'],
  ['VIRTUAL_ENV', '/home/agent/app/.venv'],
  ['XDG_RUNTIME_DIR', '/run/user/1000'],
].map(([name = '', value = '']) => ({ name, value }));
const PLAIN = DEVELOPER.filter(({ name }) => ['EDITOR', 'LANG', 'PAGER', 'SHELL', 'XDG_RUNTIME_DIR'].includes(name));
const TEN = [
  ...['ls -la', 'git status', 'git diff', 'git log --oneline -5', 'cat README.md', 'grep -rn TODO src'],
  ...['wc -l package.json', 'head -20 package.json', 'mkdir -p build/out', 'sort notes.txt'],
];

describe('of ten usual requests', () => {
  it.each([
    ['of a plain login, none needs a number', PLAIN, 0],
    ['of a developer, only the first needs a number', DEVELOPER, 1],
  ])('in an environment %s', async (_, variables, count) => {
    const needed: string[] = [];
    for (const line of TEN) {
      const grant = await pendingLine(server, agent, line, withVariables(...variables));
      if (grant.match !== undefined) needed.push(line);
      expect((await approveWithNumber(grant)).body.state).toBe('approved');
    }
    expect(needed).toEqual(TEN.slice(0, count));
  });
});

describe('deciding variables stop counting', () => {
  it('after an approval with the number, for the same requester, names and values; each later approval keeps them known', async () => {
    expect((await approveWithNumber(await ask(PRELOAD))).body.state).toBe('approved');
    for (let count = 0; count < 3; count += 1) expect((await tap(await ask(PRELOAD))).body.state).toBe('approved');
    expect(await needsNumber(await ask({ ...PRELOAD, value: '/tmp/other.so' }))).toBe(true);
    expect(await needsNumber(await ask({ ...PRELOAD, digest: true }))).toBe(true);
    expect(await needsNumber(await ask(PRELOAD, { name: 'LD_AUDIT', value: '/tmp/a.so' }))).toBe(true);
    agent = await server.requester('another agent');
    expect(await needsNumber(await ask(PRELOAD))).toBe(true);
  });

  it('also for requests that already wait, and for their cards', async () => {
    const [first, second] = [await ask(PRELOAD), await ask(PRELOAD)];
    expect(await pageOf('/')).toContain('data-risk="unknown"');
    await approveWithNumber(first);
    expect(await pageOf('/')).toContain('data-risk="low"');
    expect(await pageOf(`/grants/${second.id}`)).not.toContain('decides what runs');
    expect((await tap(second)).body.state).toBe('approved');
  });

  it('but not if two approvals knew one variable each', async () => {
    const [key, value] = [
      { name: 'GIT_CONFIG_KEY_0', value: 'core.fsmonitor' },
      { name: 'GIT_CONFIG_VALUE_0', value: '/tmp/evil' },
    ];
    await approveWithNumber(await ask(key));
    await approveWithNumber(await ask(value));
    expect(await needsNumber(await ask(key, value))).toBe(true);
  });

  it('but not because of a request that waits, was denied or was revoked', async () => {
    await ask(PRELOAD);
    const denied = await ask(PRELOAD);
    await server.decide(owner, denied.id, 'deny', { version: 1 });
    expect(await needsNumber(await ask(PRELOAD))).toBe(true);
    const grant = await ask(PRELOAD);
    const approved = await approveWithNumber(grant);
    expect(await needsNumber(await ask(PRELOAD))).toBe(false);
    agent = await server.requester('another agent');
    const again = await ask(PRELOAD);
    await approveWithNumber(again);
    expect((await server.decide(owner, again.id, 'revoke', { version: 2 })).status).toBe(200);
    expect(approved.status).toBe(200);
    expect(await needsNumber(await ask(PRELOAD))).toBe(true);
  });

  it('but not because of an approval whose risk did not count them, like those of older servers', async () => {
    const grant = await ask(PRELOAD);
    await approveWithNumber(grant);
    const stored = await server.running.store.read((rows) => rows.grant(grant.id));
    if (!stored.ok || stored.value === undefined) throw new Error('not stored');
    const { approvedDeciding, ...old } = stored.value;
    expect(approvedDeciding).toMatch(/^[0-9a-f]{64}$/);
    await server.running.store.write((rows) => rows.replaceGrant({ ...old, version: old.version + 1 }));
    expect(await needsNumber(await ask(PRELOAD))).toBe(true);
  });

  it('only after the last of several people has approved', async () => {
    await setQuorum(server.running.store, { critical: 2 }, { nowMs: Date.now() });
    expect((await approveWithNumber(await ask(PRELOAD))).body.state).toBe('pending');
    expect(await needsNumber(await ask(PRELOAD))).toBe(true);
  });

  it('and of another set of variables, only those are named that the last approval did not know', async () => {
    const reason = async (...more: readonly EnvironmentEntry[]) =>
      plain(await pageOf(`/grants/${(await ask(...more)).id}`));
    const python = { name: 'PYTHONPATH', value: '/srv/lib' };
    const [git, otherGit] = [
      { name: 'GIT_DIR', value: '/srv/a' },
      { name: 'GIT_DIR', value: '/srv/b' },
    ];
    expect((await approveWithNumber(await ask(python, git))).body.state).toBe('approved');
    expect(await reason(python, git, PRELOAD)).toContain('LD_PRELOAD decides what runs: the risk is not known');
    expect(await reason(python, otherGit)).toContain('GIT_DIR decides what runs: the risk is not known');
    expect(await reason(python), 'one is gone').toContain('PYTHONPATH decides what runs: the risk is not known');
    await server.running.store.write(async (rows) => {
      for (const grant of await rows.grants({ states: ['approved'], limit: 9, nowMs: Date.now() })) {
        const { approvedDeciding: _, ...older } = grant;
        await rows.replaceGrant({ ...older, version: grant.version + 1 });
      }
    });
    expect(await reason(python, git, PRELOAD), 'an approval that did not count them').toContain(
      'LD_PRELOAD, PYTHONPATH and GIT_DIR decide what runs: the risk is not known',
    );
  });

  it('and the API does not show which variables were known', async () => {
    const { body } = await approveWithNumber(await ask(PRELOAD));
    expect(body.state).toBe('approved');
    expect(JSON.stringify(body)).not.toContain('approvedDeciding');
  });
});
