/**
 * Standing grants for commands, and policies, on two real servers with one database. What one server does takes effect on the other
 * at once: a server uses no grant that was revoked, ended or used up a moment ago on the other.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HostFacts } from '../../src/core/effects/host-facts.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PolicyBody, PolicyView } from '../../src/core/wire/policy.ts';
import type { PreviewAnswer, ProposalsAnswer } from '../../src/core/wire/proposals.ts';
import type { ReadingEvidence } from '../../src/core/wire/reading-evidence.ts';
import type { WhyAnswer } from '../../src/core/wire/why.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { allRules } from '../core/rule-effects.ts';
import { readEvents, type SeenEvent } from './event-reader.ts';
import { type Answer, nonce, type Person, TestServer } from './server-fixture.ts';
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
} from './server-lines.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const DATABASES = [
  ['SQLite', async (directory: string) => join(directory, 'grants.db')],
  ['PostgreSQL', async () => postgres.newDatabase()],
] as const;

describe.each(DATABASES)('on %s', (_, newDatabase) => {
  let directory: string;
  let database: string;
  let server: TestServer;
  let other: TestServer;
  let owner: Readonly<Record<string, string>>;
  let agent: Person;
  let nowMs = Date.UTC(2026, 10, 23, 12, 0); // a Monday, at noon
  const clock = () => nowMs;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ape-scopes-'));
    database = await newDatabase(directory);
    const start = () => TestServer.start({ rules: allRules, directory, database, clock });
    server = await start();
    other = await start();
    owner = (await server.approverKey()).headers;
  });
  afterAll(async () => {
    await server.stop();
    await other.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    agent = await server.requester();
  });

  const outcomeOf = async (text: string, by = agent, at = server) => {
    const { body } = await askLine(at, by, text);
    return body.outcome === undefined ? (body as ErrorBody).error.code : body.outcome;
  };
  const policy = async (body: PolicyBody, at = server): Promise<Answer<PolicyView & ErrorBody>> =>
    at.call<PolicyView & ErrorBody>('POST', '/v1/policies', owner, body);
  const end = (id: string, at = server) => at.call('POST', `/v1/policies/${id}/end`, owner);
  const forbid = (more: Partial<PolicyBody & { effect: 'deny' }>): PolicyBody => ({
    effect: 'deny',
    requesterId: agent.id,
    text: null,
    pattern: null,
    reason: 'not on a Friday',
    ...more,
  });
  const grantOf = async (id: string): Promise<GrantView> =>
    (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body;
  const auditOf = async (kind: string) => {
    const { body } = await server.call<{
      events: { kind: string; grantId: string | null; facts: Record<string, unknown> }[];
    }>('GET', '/v1/audit?limit=1000', owner);
    return body.events.filter((event) => event.kind === kind);
  };

  describe('a line', () => {
    it('that no approver approved has to be looked up first: nothing is filed and nothing is recorded', async () => {
      const body = { request: lineRequest('git log'), nonce: nonce() };
      const before = (await auditOf('grant.requested')).length;
      const answer = await server.call('POST', '/v1/requests', agent.headers, body);
      expect([answer.status, answer.body]).toEqual([200, { outcome: 'wants-findings' }]);
      expect((await auditOf('grant.requested')).length).toBe(before);
      const list = await server.call<{ grants: unknown[] }>('GET', '/v1/grants', agent.headers);
      expect(list.body.grants).toEqual([]);
    });

    it('that was approved exactly runs in one round trip, without host facts', async () => {
      const grant = await pendingLine(server, agent, 'git status');
      await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
      const body = { request: lineRequest('git status'), nonce: nonce() };
      const answer = await other.call<{ permit: string }>('POST', '/v1/requests', agent.headers, body);
      expect(payloadOf(answer.body.permit)).not.toHaveProperty('coveredBy');
      expect(payloadOf(answer.body.permit)).not.toHaveProperty('findingsDigest');
    });

    it('of another kind is never asked for host facts, and has no scope for commands', async () => {
      const { status } = await server.call('POST', '/v1/requests', agent.headers, {
        request: lineRequest('git log', { kind: 'stdin', argv: ['-s'] }),
        nonce: nonce(),
      });
      expect(status).toBe(202);
      const grant = await server.pending(agent, 'git log --all', { ...lineRequest('git log --all'), kind: 'stdin' });
      const answer = await server.decide(owner, grant.id, 'approve', {
        version: 1,
        term: { kind: 'always' },
        scope: scopeFor(),
      });
      expect([answer.status, answer.body.error.code]).toEqual([422, 'scope.unfit']);
    });

    it('is covered by a scope given to another line; the permit names the scope and binds the host facts', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor());
      const { body } = await askLine(server, agent, 'git log --oneline -5');
      if (body.outcome !== 'permitted') throw new Error(JSON.stringify(body));
      const payload = payloadOf(body.permit);
      expect(payload).toMatchObject({
        grantId: grant.id,
        term: { kind: 'always' },
        coveredBy: [{ grantId: grant.id, title: expect.stringContaining('git log with any options') }],
        findingsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect((await grantOf(grant.id)).uses).toBe(1);
      const used = (await auditOf('grant.used')).filter(({ grantId }) => grantId === grant.id);
      expect(used).toMatchObject([{ facts: { line: 'git log --oneline -5', others: '', uses: 1 } }]);
    });

    it('is covered by several grants together; the record of each use names the other grants', async () => {
      const log = await standing(server, agent, owner, 'git log', scopeFor());
      const wc = await standing(server, agent, owner, 'wc -l', scopeFor({ operations: ['wc'] }));
      expect(await outcomeOf('git log --oneline | wc -l')).toBe('permitted');
      expect([(await grantOf(log.id)).uses, (await grantOf(wc.id)).uses]).toEqual([1, 1]);
      const used = (await auditOf('grant.used')).filter(({ grantId }) => grantId === log.id || grantId === wc.id);
      expect(used.map(({ grantId, facts }) => [grantId, facts['others']]).toSorted()).toEqual(
        [
          [log.id, wc.id],
          [wc.id, log.id],
        ].toSorted(),
      );
      expect(await outcomeOf('git log | sort')).toBe('pending');
    });

    it('that is not covered waits, with the host facts and the impact preview', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      const request = lineRequest('rm -r build');
      const impact = [{ what: 'deleted by rm', count: 3, bytes: 12, items: ['build'], isCut: false, note: null }];
      const answer = await server.call<{ grant: GrantView }>('POST', '/v1/requests', agent.headers, {
        request,
        nonce: nonce(),
        findings: hostFactsFor(request),
        touches: impact,
      });
      expect([answer.status, answer.body.grant.touches]).toEqual([202, impact]);
      expect(answer.body.grant).not.toHaveProperty('findings');
      const why = await server.call<WhyAnswer>('GET', `/v1/grants/${answer.body.grant.id}/why`, agent.headers);
      expect(why.body.assessment).toMatchObject({ risk: 'high', demands: [{ permission: { operation: 'rm' } }] });
      expect(why.body.coverable).toMatchObject({ isCoverable: true, advice: [expect.stringContaining('git log')] });
    });

    it('of a host that could not look it up waits, even if a scope would cover it', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      expect((await server.ask(agent, 'git log -3', lineRequest('git log -3'))).status).toBe(202);
    });

    it('with host facts of another line waits, because its own names are unknown', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      const answer = await server.ask(
        agent,
        'git log -3 README',
        lineRequest('git log -3 README'),
        hostFactsFor(lineRequest('true')),
      );
      expect(answer.status).toBe(202);
    });
  });

  describe('a scope', () => {
    it('is refused with the reason if it does not cover its own request, or is malformed', async () => {
      const grant = await pendingLine(server, agent, 'git log');
      const give = (scope: unknown, term: object = { kind: 'always' }) =>
        server.decide(owner, grant.id, 'approve', { version: 1, term, scope });
      for (const [scope, status, code] of [
        [scopeFor({ operations: ['git diff'] }), 422, 'scope.not_covering'],
        [scopeFor({}, { patterns: [] }), 400, 'request.malformed'],
        [{ ...scopeFor(), more: 1 }, 400, 'request.malformed'],
      ] as const) {
        const answer = await give(scope);
        expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      }
      expect((await give(scopeFor(), { kind: 'once' })).body.error.code).toBe('scope.unfit');
      expect(await grantOf(grant.id)).toMatchObject({ state: 'pending', version: 1 });
    });

    it('is never accepted for an opaque line, or for a line without host facts', async () => {
      const opaque = await pendingLine(server, agent, 'git log $(date)');
      const withoutFacts = await server.pending(agent, 'git log', lineRequest('git log'));
      for (const grant of [opaque, withoutFacts]) {
        const answer = await server.decide(owner, grant.id, 'approve', {
          version: 1,
          term: { kind: 'always' },
          scope: scopeFor(),
        });
        expect([answer.status, answer.body.error.code]).toEqual([422, 'scope.forbidden']);
      }
    });

    it('covers nothing of another requester, even on the same host', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      const stranger = await server.requester('stranger');
      expect(await outcomeOf('git log -3', stranger)).toBe('pending');
    });

    it('covers nothing in another environment or directory, or with a program that others can change', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      const kinds = async (more: object) => (await askLine(server, agent, 'git log -4', more)).body.outcome;
      expect(await kinds({ environment: [{ name: 'GIT_DIR', value: '/x' }] })).toBe('pending');
      expect(await kinds({ cwd: '/srv' })).toBe('pending');
      const request = lineRequest('git log -4');
      const writable = [{ path: '/usr/bin', by: 'user' as const }];
      const hostFacts = hostFactsFor(request, {
        ...PLAIN_HOST,
        resolveName: (...asked) => {
          const found = PLAIN_HOST.resolveName(...asked);
          return found.kind === 'file' ? { ...found, writable } : found;
        },
      });
      expect((await server.ask(agent, request.text, request, hostFacts)).body.outcome).toBe('pending');
      expect(await kinds({})).toBe('permitted');
    });

    it('covers nothing after its revocation, whichever server took it', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor());
      expect(await outcomeOf('git log -1', agent, other)).toBe('permitted');
      await server.decide(owner, grant.id, 'revoke', { version: 1 });
      expect(await outcomeOf('git log -2', agent, other)).toBe('pending');
      expect(await outcomeOf('git log -2', agent, server)).toBe('pending');
    });

    it('is known at once to the other server', async () => {
      expect(await outcomeOf('git log -1', agent, other)).toBe('pending');
      await standing(server, agent, owner, 'git log', scopeFor());
      expect(await outcomeOf('git log -2', agent, other)).toBe('permitted');
    });

    it('ends when its time is over', async () => {
      const grant = await pendingLine(server, agent, 'git log');
      const term = { kind: 'timed', forMs: 60_000 };
      await server.decide(owner, grant.id, 'approve', { version: 1, term, scope: scopeFor() });
      const { body } = await askLine(other, agent, 'git log -1');
      expect(body.outcome === 'permitted' && payloadOf(body.permit)['term']).toEqual({
        kind: 'timed',
        untilMs: nowMs + 60_000,
      });
      nowMs += 60_000;
      expect(await outcomeOf('git log -2', agent, other)).toBe('pending');
    });

    it('is valid only in its hours, also if it is used by its id', async () => {
      const minute = (nowMs / 60_000) % 1_440;
      const hours = { from: minute + 5, to: minute + 9, days: [1, 2, 3, 4, 5], timeZone: 'UTC' };
      const scope = scopeFor({}, { conditions: { ...scopeFor().conditions, hours } });
      const grant = await standing(server, agent, owner, 'git log', scope);
      expect(await outcomeOf('git log -1')).toBe('pending');
      const facts = hostFactsFor(lineRequest('git log'));
      const early = await server.redeem(agent, grant, facts);
      expect([early.status, early.body.error.code]).toEqual([422, 'scope.not_covering']);
      nowMs += 360_000;
      expect(await outcomeOf('git log -2')).toBe('permitted');
      expect((await server.redeem(agent, grant, facts)).status).toBe(200);
      nowMs += 300_000;
      expect(await outcomeOf('git log -3')).toBe('pending');
      const late = await server.redeem(agent, grant, facts);
      expect([late.status, late.body.error.code]).toEqual([422, 'scope.not_covering']);
    });

    it('is used by its id with the present host facts, not with those of when the request was filed', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor());
      const request = lineRequest('git log');
      const codeWith = async (findings?: HostFacts) => {
        const { status, body } = await server.redeem(agent, grant, findings);
        return status === 200 ? 200 : body.error.code;
      };
      expect(await codeWith()).toBe('scope.not_covering');
      expect(await codeWith(hostFactsFor(request, { ...PLAIN_HOST, isBareRepository: () => true }))).toBe(
        'scope.not_covering',
      );
      expect(await codeWith({ ...hostFactsFor(request), repositories: [] })).toBe('scope.not_covering');
      expect(await codeWith(hostFactsFor(request))).toBe(200);
    });

    it('with a number of uses is used that often and never more, however many callers ask both servers at once', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor({}, { mostUses: 3 }));
      const asked = await Promise.all(
        Array.from({ length: 10 }, (_each, index) => outcomeOf(`git log -${index}`, agent, index % 2 ? server : other)),
      );
      expect(asked.toSorted()).toEqual([...Array(7).fill('pending'), ...Array(3).fill('permitted')]);
      expect(await grantOf(grant.id)).toMatchObject({ state: 'used', uses: 3 });
      expect((await auditOf('grant.used')).filter(({ grantId }) => grantId === grant.id)).toHaveLength(3);
    });

    it('that several lines need together is never used in part, if they race for the last use', async () => {
      const log = await standing(server, agent, owner, 'git log', scopeFor({}, { mostUses: 2 }));
      const wc = await standing(server, agent, owner, 'wc -l', scopeFor({ operations: ['wc'] }, { mostUses: 1 }));
      const asked = await Promise.all(
        Array.from({ length: 6 }, (_each, index) =>
          outcomeOf(`git log -${index} | wc -l`, agent, index % 2 ? server : other),
        ),
      );
      expect(asked.filter((each) => each === 'permitted')).toHaveLength(1);
      expect(await grantOf(log.id)).toMatchObject({ state: 'approved', uses: 1 });
      expect(await grantOf(wc.id)).toMatchObject({ state: 'used', uses: 1 });
    });

    it('that is revoked while many calls use it permits nothing after that', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor());
      const asking = Array.from({ length: 12 }, (_each, index) =>
        outcomeOf(`git log -${index}`, agent, index % 2 ? server : other),
      );
      const revoked = await server.decide(owner, grant.id, 'revoke', { version: 1 });
      expect(revoked.status).toBe(200);
      const asked = await Promise.all(asking);
      const { uses } = await grantOf(grant.id);
      expect(asked.filter((each) => each === 'permitted')).toHaveLength(uses);
      const kinds = (
        await server.call<{ events: { kind: string; grantId: string | null }[] }>('GET', '/v1/audit?limit=1000', owner)
      ).body.events
        .filter(({ grantId }) => grantId === grant.id)
        .map(({ kind }) => kind);
      expect(kinds.lastIndexOf('grant.used')).toBeLessThan(kinds.indexOf('grant.revoked'));
    });
  });

  describe('a rule that forbids', () => {
    it('takes precedence over an exact standing grant, in one round trip if it is about a text', async () => {
      const grant = await pendingLine(server, agent, 'git push origin main');
      await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
      const ask = () =>
        other.call<ErrorBody>('POST', '/v1/requests', agent.headers, {
          request: lineRequest('git push origin main'),
          nonce: nonce(),
        });
      expect((await ask()).status).toBe(200);
      const made = await policy(forbid({ text: 'git push *' }));
      expect(made.status).toBe(200);
      const refused = await ask();
      expect([refused.status, refused.body.error.code]).toEqual([403, 'policy.denied']);
      expect(refused.body.error.message).toContain('not on a Friday');
      expect(refused.body.error.message).toContain(made.body.id);
      const redeemed = await server.redeem(agent, grant);
      expect([redeemed.status, redeemed.body.error.code]).toEqual([403, 'policy.denied']);
      expect(await auditOf('policy.vetoed')).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            facts: expect.objectContaining({ policyId: made.body.id, line: 'git push origin main' }),
          }),
        ]),
      );
      expect((await end(made.body.id)).status).toBe(200);
      expect((await ask()).status).toBe(200);
    });

    it('about files needs host facts even beside an exact grant, and vetoes by the real path', async () => {
      const grant = await pendingLine(server, agent, 'cat link');
      await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
      await policy(
        forbid({
          pattern: {
            operations: ['*'],
            resources: [{ kind: 'path', access: ['read'], values: { match: 'below', value: '/srv/secret' } }],
          },
        }),
      );
      const request = lineRequest('cat link');
      const first = await server.call('POST', '/v1/requests', agent.headers, { request, nonce: nonce() });
      expect(first.body).toEqual({ outcome: 'wants-findings' });
      expect(await outcomeOf('cat link')).toBe('permitted');
      const linked = hostFactsFor(request, {
        ...PLAIN_HOST,
        resolvePath: (path, last) => (path.endsWith('/link') ? '/srv/secret/key' : PLAIN_HOST.resolvePath(path, last)),
      });
      expect((await server.ask(agent, request.text, request, linked)).body.error.code).toBe('policy.denied');
      // A host without host facts cannot evade the rule: then a person has to approve again.
      expect((await server.ask(agent, request.text, request)).status).toBe(202);
    });

    it('vetoes every command of a line, also behind wrappers, and file tools by their paths', async () => {
      await standing(server, agent, owner, 'git log', scopeFor());
      await policy(forbid({ requesterId: null, pattern: { operations: ['git push'], resources: [] } }));
      for (const line of [
        'git log && git push',
        'timeout 5 git push',
        "bash -c 'git push'",
        'git log | xargs git push',
      ])
        expect([line, await outcomeOf(line)]).toEqual([line, 'policy.denied']);
      expect(await outcomeOf('git log -7')).toBe('permitted');
      const files = [
        {
          verb: 'write' as const,
          path: '/srv/prod/a',
          askedPath: 'a',
          digest: 'a'.repeat(64),
          resultDigest: null,
          bytes: 1,
          danger: null,
        },
      ];
      const asFile = { kind: 'file' as const, argv: [], environment: [], files };
      expect((await server.ask(agent, 'write a', { ...lineRequest('write a'), ...asFile })).status).toBe(202);
      await policy(
        forbid({
          pattern: {
            operations: ['*'],
            resources: [{ kind: 'path', access: ['write'], values: { match: 'below', value: '/srv/prod' } }],
          },
        }),
      );
      expect((await server.ask(agent, 'write a', { ...lineRequest('write a'), ...asFile })).status).toBe(403);
      for (const { id } of (await server.call<{ policies: PolicyView[] }>('GET', '/v1/policies', owner)).body.policies)
        await end(id);
    });

    it('is only for its requester, counts its vetoes, and ends once', async () => {
      const { body: made } = await policy(forbid({ text: 'make *' }));
      const stranger = await server.requester('stranger');
      expect(await outcomeOf('make all', stranger, other)).toBe('pending');
      expect(await outcomeOf('make all', agent, other)).toBe('policy.denied');
      const { body } = await server.call<{ policies: PolicyView[] }>('GET', '/v1/policies', owner);
      expect(body.policies.find(({ id }) => id === made.id)).toMatchObject({ uses: 1, title: 'forbidden: make *' });
      const ended = await Promise.all([end(made.id), end(made.id, other)]);
      expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect(await outcomeOf('make all', agent, other)).toBe('pending');
      expect((await end('p_none')).status).toBe(404);
    });

    it('is sent to every listening page, on both servers, when it is made, vetoes and ends', async () => {
      const readers = await Promise.all([server, other].map((at) => readEvents(`${at.url}/v1/events`, owner)));
      const { body: made } = await policy(forbid({ text: 'halt *' }));
      const about = ({ event, data }: SeenEvent) => event === 'policy' && data.id === made.id;
      for (const reader of readers)
        expect((await reader.until(about)).data).toMatchObject({ title: 'forbidden: halt *' });
      expect(await outcomeOf('halt now')).toBe('policy.denied');
      const hasUses = (event: SeenEvent) => about(event) && (event.data as unknown as PolicyView).uses === 1;
      for (const reader of readers) await reader.until(hasUses);
      await end(made.id);
      const hasEnded = (event: SeenEvent) => about(event) && (event.data as unknown as PolicyView).endedAtMs !== null;
      for (const reader of readers) {
        await reader.until(hasEnded);
        reader.close();
      }
    });

    it('is sent to a page that listens on a server that has just started', async () => {
      const third = await TestServer.start({ rules: allRules, directory, database, clock });
      const reader = await readEvents(`${third.url}/v1/events`, owner);
      const { body: made } = await policy(forbid({ text: 'reboot *' }));
      await reader.until(({ event, data }) => event === 'policy' && data.id === made.id);
      reader.close();
      await end(made.id);
      await third.stop();
    });

    it('is not made if it is malformed or for an unknown requester', async () => {
      for (const [body, status] of [
        [forbid({}), 422],
        [forbid({ text: 'x', pattern: { operations: ['git'], resources: [] } }), 422],
        [forbid({ text: 'x', requesterId: 's_nobody' }), 404],
        [{ ...forbid({ text: 'x' }), reason: '' }, 400],
      ] as const)
        expect((await policy(body)).status).toBe(status);
    });
  });

  describe('reading without asking', () => {
    const allow = (environmentOf: string, more: object = {}): PolicyBody => ({
      effect: 'allow-reading',
      requesterId: agent.id,
      directories: [PROJECT],
      environmentOf,
      ...more,
    });

    it('is off until an approver switches it on, based on what was asked', async () => {
      const first = await pendingLine(server, agent, 'ls src');
      await pendingLine(server, agent, 'cat README.md | head -5');
      await pendingLine(server, agent, 'rm -r build');
      const evidence = await server.call<ReadingEvidence>('GET', `/v1/requesters/${agent.id}/reading-evidence`, owner);
      expect(evidence.body).toMatchObject({ of: 3, reading: 2, directories: [{ directory: PROJECT, count: 2 }] });
      const environmentOf = evidence.body.directories[0]?.environmentOf ?? first.id;
      const made = await policy(allow(environmentOf));
      expect([made.status, made.body.title]).toEqual([200, expect.stringContaining(PROJECT)]);
      const { body } = await askLine(other, agent, 'grep -rn x src | sort');
      expect(body.outcome === 'permitted' && payloadOf(body.permit)).toMatchObject({
        grantId: made.body.id,
        coveredBy: [{ grantId: made.body.id }],
      });
      for (const line of ['cat /etc/hosts', 'ls src > out', 'touch src/x', 'curl https://x.example', 'cat ../secret'])
        expect([line, await outcomeOf(line, agent, other)]).toEqual([line, 'pending']);
      expect((await auditOf('policy.used')).at(-1)?.facts).toMatchObject({
        policyId: made.body.id,
        line: 'grep -rn x src | sort',
      });
      await end(made.body.id);
      expect(await outcomeOf('ls src/b', agent, other)).toBe('pending');
    });

    it('covers together with a grant, in the environment of the request from which it was made', async () => {
      const first = await pendingLine(server, agent, 'ls src');
      const { body: made } = await policy(allow(first.id));
      const grant = await standing(
        server,
        agent,
        owner,
        'touch out',
        scopeFor({
          operations: ['touch'],
          resources: [{ kind: 'path', access: ['write'], values: { match: 'below', value: PROJECT } }],
          highestRisk: 'medium',
        }),
      );
      expect(await outcomeOf('ls src && touch out2')).toBe('permitted');
      expect((await grantOf(grant.id)).uses).toBe(1);
      const more = { environment: [{ name: 'LD_PRELOAD', value: '/x.so' }] };
      expect((await askLine(server, agent, 'ls src', more)).body.outcome).toBe('pending');
      await end(made.id);
    });

    it('is not made for a place that is too wide, or from a request of another requester', async () => {
      const first = await pendingLine(server, agent, 'ls src');
      const stranger = await server.requester('stranger');
      const theirs = await pendingLine(server, stranger, 'ls src');
      expect((await policy(allow(theirs.id))).status).toBe(404);
      expect((await policy(allow(first.id, { directories: ['/'] }))).status).toBe(422);
      expect((await policy(allow(first.id, { directories: ['/home/../etc'] }))).status).toBe(422);
      expect((await policy(allow(first.id, { directories: [] }))).status).toBe(400);
    });
  });

  describe('an approver', () => {
    it('is offered scopes with what each would have covered, and can give each of them', async () => {
      for (const line of ['git log -3', 'git log --stat', 'git diff', 'rm x']) await pendingLine(server, agent, line);
      const grant = await pendingLine(server, agent, 'git log --oneline');
      const { body } = await server.call<ProposalsAnswer>('GET', `/v1/grants/${grant.id}/proposals`, owner);
      expect(body.assessment).toMatchObject({ risk: 'low', commands: [{ runs: '/usr/bin/git' }] });
      const [exact, ...wider] = body.proposals;
      expect([exact?.id, exact?.scope]).toEqual(['exact', null]);
      expect(wider.length).toBeGreaterThan(0);
      const counts = wider.map(({ wouldHaveCovered }) => wouldHaveCovered.count);
      expect(counts).toEqual(counts.toSorted((left, right) => left - right));
      expect(wider[0]?.wouldHaveCovered).toMatchObject({
        of: 4,
        samples: expect.arrayContaining(['git log -3', 'git log --stat']),
      });
      const widest = wider.at(-1)?.scope ?? null;
      const approved = await server.decide(owner, grant.id, 'approve', {
        version: 1,
        term: { kind: 'always' },
        scope: widest,
      });
      expect(approved.status).toBe(200);
      expect(await outcomeOf('git diff')).toBe('permitted');
    });

    it('sees neither as an example nor in the count a line that every scope covers', async () => {
      for (const line of ['echo hello', 'printf x', 'true', 'git log -3']) await pendingLine(server, agent, line);
      const grant = await pendingLine(server, agent, 'git log');
      const { body } = await server.call<ProposalsAnswer>('GET', `/v1/grants/${grant.id}/proposals`, owner);
      for (const { scope, wouldHaveCovered } of body.proposals)
        if (scope !== null) expect(wouldHaveCovered).toEqual({ count: 1, of: 1, samples: ['git log -3'] });
      expect(body.proposals.length).toBeGreaterThan(1);
    });

    it('sees what an edited scope would cover, or what is wrong with it, before giving the scope', async () => {
      await pendingLine(server, agent, 'git log -3');
      const grant = await pendingLine(server, agent, 'git log');
      const preview = async (scope: CommandScope) =>
        (await server.call<PreviewAnswer>('POST', `/v1/grants/${grant.id}/preview`, owner, { scope })).body;
      expect(await preview(scopeFor())).toMatchObject({
        outcome: 'fits',
        title: expect.stringContaining('git log'),
        wouldHaveCovered: { count: 1, of: 1, samples: ['git log -3'] },
      });
      expect(await preview(scopeFor({ operations: ['git diff'] }))).toMatchObject({
        outcome: 'fault',
        fault: { kind: 'not-covering' },
      });
      expect((await grantOf(grant.id)).version).toBe(1);
    });

    it('can read, as its requester can, why a grant has its state and what it was used for', async () => {
      const grant = await standing(server, agent, owner, 'git log', scopeFor());
      await outcomeOf('git log -3');
      const { body } = await server.call<WhyAnswer>('GET', `/v1/grants/${grant.id}/why`, agent.headers);
      expect(body).toMatchObject({
        grant: { id: grant.id, state: 'approved' },
        decidedBy: { name: 'owner key' },
        coverable: { isCoverable: true, advice: [] },
        uses: [{ line: 'git log -3', others: [] }],
      });
      const stranger = await server.requester('stranger');
      expect((await server.call('GET', `/v1/grants/${grant.id}/why`, stranger.headers)).status).toBe(403);
      const opaque = await pendingLine(server, agent, 'git log $(date)');
      const why = await server.call<WhyAnswer>('GET', `/v1/grants/${opaque.id}/why`, agent.headers);
      expect(why.body.coverable).toMatchObject({ isCoverable: false, advice: [expect.stringContaining('$(date)')] });
    });
  });

  it('host facts that are malformed or too large are refused with one line', async () => {
    const request = lineRequest('git log');
    const good = hostFactsFor(request);
    const send = (hostFacts: unknown) =>
      server.call<ErrorBody>('POST', '/v1/requests', agent.headers, { request, nonce: nonce(), findings: hostFacts });
    const path = { path: '/x', end: 'target', resolved: '/y' };
    for (const [what, hostFacts] of [
      ['names', { ...good, names: 1 }],
      ['paths', { ...good, paths: Array(257).fill(path) }],
      ['paths', { ...good, paths: [{ ...path, resolved: 'relative' }] }],
      ['resolved', { ...good, paths: [{ ...path, resolved: `/${'x'.repeat(8192)}` }] }],
      [
        '256 KiB',
        {
          ...good,
          paths: Array.from({ length: 200 }, (_each, at) => ({ ...path, path: `/${'x'.repeat(2000)}${at}` })),
        },
      ],
      ['more', { ...good, more: 1 }],
      ['bash', { ...good, bash: 'yes' }],
    ] as const) {
      const answer = await send(hostFacts);
      expect([what, answer.status, answer.body.error.code]).toEqual([what, 400, 'request.malformed']);
      expect(answer.body.error.message).not.toContain('\n');
      expect(answer.body.error.message.length).toBeLessThan(200);
    }
    expect((await send(good)).status).toBe(202);
  });
});
