/** An approval that takes several people: different people have to approve the same thing, and one denial ends it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/core/grant/audit-event.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { setDelegation, setPerson, setQuorum } from '../../src/server/identity/people-administration.ts';
import { type Person, TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
let server: TestServer;
let agent: Person;
let owner: Headers;
let key: Person;
let ada: { id: string; headers: Headers };
let bob: { id: string; headers: Headers };
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
  owner = await server.owner();
  key = await server.approverKey();
  ada = await server.person('Ada');
  bob = await server.person('Bob');
  await setQuorum(server.running.store, { medium: 2 }, { nowMs: Date.now() });
});
afterAll(() => server.stop());

let count = 0;
const opaque = () => server.pending(agent, `eval "$LINE" # ${count++}`);
const ONCE = { kind: 'once' } as const;
const readingPolicy = ({ id }: GrantView) => ({
  effect: 'allow-reading',
  requesterId: agent.id,
  directories: ['/home/agent'],
  environmentOf: id,
});
const approve = (
  by: Headers,
  { id, version }: Pick<GrantView, 'id' | 'version'>,
  term: object = ONCE,
  more: object = {},
) => server.decide(by, id, 'approve', { version, term, ...more });
const now = async ({ id }: { id: string }) => (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body;
const names = ({ approvals }: GrantView) => approvals?.given.map(({ name }) => name);

describe('a delegation', () => {
  const at = () => ({ nowMs: Date.now() });
  const narrow = { requesters: [], hosts: null, upTo: 'low' as const };

  it('gives the right to decide until its end, and an approval that was given by it ends with it', async () => {
    const eve = await server.person('Eve', 'approver', narrow);
    const untilMs = Date.now() + 3_600_000;
    const file = { kind: 'file' as const };
    const asked = (path: string) => server.pending(agent, `Read ${path}`, { ...file, files: [{ ...READ, path }] });
    const before = await asked('/d/0');
    expect((await approve(eve.headers, before)).body.error.code).toBe('approver.limits');
    await setDelegation(server.running.store, { from: ada.id, to: eve.id, untilMs }, at());
    expect((await approve(eve.headers, before)).body).toMatchObject({ state: 'approved', expiresAtMs: untilMs });
    const always = await approve(eve.headers, await asked('/d/1'), { kind: 'always' });
    expect(always.body.term).toEqual({ kind: 'timed', untilMs });
    const longer = await approve(eve.headers, await asked('/d/2'), { kind: 'timed', forMs: 7_200_000 });
    expect(longer.body.term).toEqual({ kind: 'timed', untilMs });
    const shorter = await approve(eve.headers, await asked('/d/3'), { kind: 'timed', forMs: 60_000 });
    expect(shorter.body.term).not.toEqual({ kind: 'timed', untilMs });
    await setDelegation(server.running.store, { from: ada.id, to: eve.id, untilMs: null }, at());
    expect((await approve(eve.headers, await asked('/d/4'))).body.error.code).toBe('approver.limits');
  });

  it('gives no right of an auditor, and does not let one person count twice', async () => {
    const audrey = await server.person('Audrey', 'auditor');
    const untilMs = Date.now() + 3_600_000;
    expect((await setDelegation(server.running.store, { from: audrey.id, to: bob.id, untilMs }, at())).ok).toBe(false);
    await setDelegation(server.running.store, { from: ada.id, to: bob.id, untilMs }, at());
    const grant = await opaque();
    const first = await approve(bob.headers, grant);
    expect((await approve(bob.headers, first.body)).body.state).toBe('pending');
    await setDelegation(server.running.store, { from: ada.id, to: bob.id, untilMs: null }, at());
  });
});

describe('approvals by two people', () => {
  it('are announced on the card before the first approval, and only if two people are needed', async () => {
    const card = async ({ id }: GrantView, by = ada.headers) =>
      (await server.call<string>('GET', `/grants/${id}`, by)).body;
    const grant = await opaque();
    const sentence = '2 people have to approve this.';
    for (const by of [ada.headers, owner]) expect(await card(grant, by)).toContain(sentence);
    const low = await server.pending(agent, 'Read /d/shown', { kind: 'file', files: [{ ...READ, path: '/d/shown' }] });
    expect(await card(low)).not.toContain(sentence);
    await approve(ada.headers, grant);
    const then = await card(grant, bob.headers);
    expect(then).not.toContain(sentence);
    expect(then).toContain('1 of 2: Ada approved; one more person has to approve');
  });

  it('are both needed: with one the request is still pending, with the second it is approved', async () => {
    const grant = await opaque();
    const first = await approve(ada.headers, grant);
    expect(first.body).toMatchObject({ state: 'pending', version: 2, approvals: { needed: 2 }, decidedBy: null });
    expect((await server.redeem(agent, grant)).body.error.code).toBe('grant.pending');
    const second = await approve(bob.headers, first.body);
    expect([second.body.state, names(second.body)]).toEqual(['approved', ['Ada', 'Bob']]);
    expect((await server.redeem(agent, grant)).status).toBe(200);
    const { events } = (await server.call<{ events: AuditEvent[] }>('GET', '/v1/audit?limit=1000', owner)).body;
    const approvedEvents = events.filter(({ grantId, kind }) => grantId === grant.id && kind.includes('approved'));
    expect(approvedEvents.map(({ kind, facts }) => [kind, facts['by'], facts['approvals'], facts['needed']])).toEqual([
      ['grant.part_approved', 'Ada', 1, 2],
      ['grant.approved', 'Bob', 2, 2],
    ]);
  });

  it('have to come from different people, not from one person with a session and a key', async () => {
    const grant = await opaque();
    const first = await approve(ada.headers, grant);
    const again = await approve(ada.headers, first.body);
    expect([again.body.state, names(again.body)]).toEqual(['pending', ['Ada']]);
    const other = await opaque();
    const byOwner = await approve(owner, other);
    expect((await approve(key.headers, byOwner.body)).body.state).toBe('pending'); // the owner's own key
  });

  it('are void after one denial, even from a page that shows the state before the first approval', async () => {
    const grant = await opaque();
    await approve(ada.headers, grant);
    const denied = await server.decide(bob.headers, grant.id, 'deny', { version: 1 });
    expect(denied.body.state).toBe('denied');
    expect((await approve(bob.headers, { ...grant, version: 3 })).body.error.code).toBe('grant.denied');
  });

  it.each([
    ['an approval for always', { kind: 'always' }],
    ['an approval for a time', { kind: 'timed', forMs: 60_000 }],
  ])('begin anew with %s', async (_, term) => {
    const grant = await opaque();
    const first = await approve(ada.headers, grant, ONCE);
    const second = await approve(bob.headers, first.body, term);
    expect([second.body.state, names(second.body), second.body.approvals?.term.kind]).toEqual([
      'pending',
      ['Bob'],
      term.kind,
    ]);
  });

  it('end at the earlier of their two ends', async () => {
    const grant = await opaque();
    const first = await approve(ada.headers, grant, { kind: 'timed', forMs: 60_000 });
    const second = await approve(bob.headers, first.body, { kind: 'timed', forMs: 3_600_000 });
    expect(second.body).toMatchObject({ state: 'approved', term: first.body.approvals?.term });
  });

  it('do not count if the person was revoked meanwhile, or may not decide any more', async () => {
    const fay = await server.person('Fay');
    const grant = await opaque();
    const first = await approve(fay.headers, grant);
    expect(names(first.body)).toEqual(['Fay']);
    await server.call('POST', `/v1/people/${fay.id}/revoke`, owner, {});
    const second = await approve(bob.headers, first.body);
    expect([second.body.state, names(second.body)]).toEqual(['pending', ['Bob']]);
    const at = { nowMs: Date.now() };
    await setPerson(server.running.store, bob.id, { limits: { requesters: [], hosts: null, upTo: 'critical' } }, at);
    const third = await approve(ada.headers, second.body);
    expect([third.body.state, names(third.body)]).toEqual(['pending', ['Ada']]);
    await setPerson(server.running.store, bob.id, { limits: null }, at);
  });

  it('at the same moment: one completes the decision, and the second is refused', async () => {
    const grant = await opaque();
    const first = await approve(ada.headers, grant);
    const both = await Promise.all([bob.headers, owner].map((by) => approve(by, first.body)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await now(grant)).approvals?.given).toHaveLength(2);
    const other = await opaque();
    const one = await approve(ada.headers, other);
    const mixed = await Promise.all([
      approve(bob.headers, one.body),
      server.decide(owner, other.id, 'deny', { version: one.body.version }),
    ]);
    const good = mixed.filter(({ status }) => status === 200).map(({ body }) => body.state);
    expect([['approved'], ['denied']]).toContainEqual(good);
    expect((await now(other)).state).toBe(good[0]);
  });

  it('are not needed at a lower risk', async () => {
    const grant = await server.pending(agent, 'Read', { kind: 'file', files: [READ] });
    expect((await approve(ada.headers, grant)).body).toMatchObject({ state: 'approved' });
    const scoped = await server.pending(agent, 'Read', { kind: 'file', files: [{ ...READ, path: '/home/agent/y' }] });
    const scope = { operations: ['read', 'write'], pathPrefix: '/home/agent' };
    const wide = await approve(ada.headers, scoped, { kind: 'always' }, { scope });
    expect(wide.body).toMatchObject({ state: 'pending', approvals: { needed: 2 } });
  });

  it('cannot be given to a policy that allows reading, because one person makes it', async () => {
    await setQuorum(server.running.store, { low: 2 }, { nowMs: Date.now() });
    const body = readingPolicy(await opaque());
    const made = await server.call<ErrorBody>('POST', '/v1/policies', owner, body);
    expect(made.body.error.code).toBe('policy.unfit');
    await setQuorum(server.running.store, { low: 1 }, { nowMs: Date.now() });
  });

  it('a policy that allows reading is refused with the reason', async () => {
    const at = { nowMs: Date.now() };
    const { store } = server.running;
    const body = readingPolicy(await opaque());
    const errorOf = async (by: Headers) => (await server.call<ErrorBody>('POST', '/v1/policies', by, body)).body.error;
    const may = await server.person('May', 'approver', { requesters: [], hosts: null, upTo: 'critical' });
    const until = { from: ada.id, to: may.id, untilMs: Date.now() + 3_600_000 };
    await setDelegation(store, until, at);
    expect((await errorOf(may.headers)).message).toContain('only an approver without limits');
    await setPerson(store, may.id, { limits: null, own: [agent.id] }, at);
    expect(await errorOf(may.headers)).toMatchObject({
      code: 'approver.own_request',
      message: 'this requester belongs to you, so another person has to decide its requests',
    });
    await setPerson(store, may.id, { own: [] }, at);
    await setDelegation(store, { ...until, untilMs: null }, at);
  });
});

const NOTHING = { digest: null, resultDigest: null, bytes: null, danger: null };
const READ = { verb: 'read' as const, path: '/home/agent/x', askedPath: '/home/agent/x', ...NOTHING };
