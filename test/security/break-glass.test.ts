/** Break-glass codes: a person with a code decides alone for 15 minutes. Each approver is notified, and the approvals end with the 15 minutes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { BreakGlassView } from '../../src/core/wire/people.ts';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import { setPerson, setQuorum } from '../../src/server/identity/people-administration.ts';
import { addChannel, prefer, type Receiver, startReceiver, until } from '../component/notification-sinks.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
const MINUTE_MS = 60_000;
const ONCE = { kind: 'once' } as const;
const FILE = { digest: null, resultDigest: null, bytes: null, danger: null };
const READ = { verb: 'read' as const, path: '/d/x', askedPath: '/d/x', ...FILE };

let receiver: Receiver;
let server: TestServer;
let agent: Person;
let owner: Headers;
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.parse('2026-06-10T12:00:00Z');
  receiver = await startReceiver();
  const notifications = { relay: null, allowedHosts: [receiver.host] };
  server = await TestServer.start({ clock: () => nowMs, notifications });
  agent = await server.requester();
  owner = await server.owner();
});
afterEach(async () => {
  await server.stop();
  await receiver.stop();
});

const make = async (name = 'Safe in the office', by = owner) =>
  server.call<{ id: string; code: string } & ErrorBody>('POST', '/v1/break-glass', by, { name });
const signIn = (code: string) =>
  server.call<ErrorBody & { location: string }>('POST', '/v1/sign-in/recovery-code', { origin: server.url }, { code });
const signedIn = async (code: string): Promise<Headers> => {
  const answer = await signIn(code);
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, origin: server.url, 'x-csrf-token': csrfTokenOf(cookie.split('=')[1] ?? '') };
};
const view = async () => (await server.call<BreakGlassView>('GET', '/v1/break-glass', owner)).body;
const approve = (by: Headers, { id, version }: GrantView, term: object = ONCE) =>
  server.decide(by, id, 'approve', { version, term });
const events = async (): Promise<readonly StoredAuditEvent[]> => {
  const found = await server.running.store.read((rows) => rows.events(0, 200));
  if (!found.ok) throw new Error('no events');
  return found.value;
};
const file = (path: string) => server.pending(agent, `Read ${path}`, { kind: 'file', files: [{ ...READ, path }] });

describe('a break-glass code', () => {
  it('decides alone what needs three people or what no approver may decide, and the record says so', async () => {
    await server.person('Lim', 'approver', { requesters: [], hosts: [], upTo: 'low' });
    await setQuorum(server.running.store, { low: 3 }, { nowMs });
    const { code } = (await make()).body;
    const by = await signedIn(code);
    const grant = await server.pending(agent, 'eval "$LINE"');
    expect((await approve(owner, grant)).body).toMatchObject({ state: 'pending', approvals: { needed: 3 } });
    const now = (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, owner)).body;
    const approved = (await approve(by, now)).body;
    expect(approved).toMatchObject({ state: 'approved', expiresAtMs: nowMs + 15 * MINUTE_MS });
    expect(approved.approvals).toBeUndefined();
    expect((await server.redeem(agent, approved)).status).toBe(200);
    const denied = await server.pending(agent, 'eval "$OTHER"');
    expect((await server.decide(by, denied.id, 'deny', { version: denied.version })).status).toBe(200);
    const facts = { by: 'Safe in the office (break-glass)', breakGlass: true };
    const recorded = (await events()).filter(({ facts: { breakGlass } }) => breakGlass === true);
    expect(recorded.map(({ kind, facts: found }) => [kind, found])).toMatchObject([
      ['grant.approved', facts],
      ['grant.denied', facts],
    ]);
    expect((await events()).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['break_glass.made', 'break_glass.opened']),
    );
  });

  it('ends after 15 minutes, with all that was approved by it', async () => {
    const { code } = (await make()).body;
    const by = await signedIn(code);
    nowMs += 5 * MINUTE_MS;
    const end = nowMs + 10 * MINUTE_MS;
    for (const [path, term] of [
      ['/d/a', { kind: 'always' }],
      ['/d/t', { kind: 'timed', forMs: 3_600_000 }],
    ] as const)
      expect((await approve(by, await file(path), term)).body.term).toEqual({ kind: 'timed', untilMs: end });
    const short = (await approve(by, await file('/d/b'), { kind: 'timed', forMs: MINUTE_MS })).body;
    expect(short.term).toEqual({ kind: 'timed', untilMs: nowMs + MINUTE_MS });
    nowMs = end - 1;
    expect((await server.call('GET', '/v1/whoami', by)).status).toBe(200);
    const waiting = await file('/d/c');
    nowMs = end;
    expect((await server.call<ErrorBody>('GET', '/v1/whoami', by)).body.error.code).toBe('auth.expired');
    expect((await approve(by, waiting)).status).toBe(401);
    const ask = (path: string) => server.ask(agent, `Read ${path}`, { kind: 'file', files: [{ ...READ, path }] });
    agent = await server.signedIn(agent.id, agent.privateKey);
    expect((await ask('/d/a')).body.outcome).toBe('pending');
    expect(await view()).toEqual({ codes: [], open: [], left: [] });
  });

  it('works for one of two sign-ins at the same moment and never again; no other text works', async () => {
    const { code } = (await make()).body;
    expect(code).toMatch(/^([a-z2-7]{4}-){7}[a-z2-7]{4}$/);
    const both = await Promise.all([signIn(code), signIn(code.toUpperCase().replaceAll('-', ' '))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect((await signIn(code)).body.error.code).toBe('recovery.unknown');
    for (const text of ['', '-', `${code}a`, code.slice(1)]) expect((await signIn(text)).status).toBe(403);
    const stored = await server.running.store.read((rows) => rows.passkeys.ownerSetting('break_glass'));
    expect(JSON.stringify(stored)).not.toContain(code.slice(0, 9));
    const again = (await make('another')).body.code;
    const afterwards = await server.running.store.read((rows) => rows.passkeys.ownerSetting('break_glass'));
    expect(JSON.stringify(afterwards)).not.toContain(again.slice(0, 9));
  });

  it('counts guesses as failed sign-ins', async () => {
    const statuses = [];
    for (let count = 0; count < 200 && statuses.at(-1) !== 429; count += 1)
      statuses.push((await signIn(`aaaa-${count}`)).status);
    expect(statuses.at(0)).toBe(403);
    expect(statuses.at(-1)).toBe(429);
  });

  it('decides on requests only: it changes no people, devices, rules, hosts, codes or delegations', async () => {
    const by = await signedIn((await make()).body.code);
    const { id } = await view().then(({ open }) => open[0] ?? { id: '' });
    const calls: readonly (readonly [string, object])[] = [
      ['/v1/people', { name: 'Mallory' }],
      [`/v1/people/${id}`, { role: 'approver' }],
      ['/v1/people-rules', { delegation: { from: id, to: 's_owner', untilMs: nowMs + 1 } }],
      ['/v1/people-rules', { quorum: { low: 1 } }],
      ['/v1/break-glass', { name: 'more' }],
      ['/v1/approval-settings', { passkeyAbove: 'critical' }],
      ['/v1/recovery-codes', {}],
      ['/v1/passkeys/creation', {}],
      ['/v1/policies', { requesterId: null, effect: 'allow-reading', rule: { hosts: null } }],
      ['/v1/notifications/channels', { kind: 'webhook', name: 'x', url: `${receiver.url}/x` }],
    ];
    for (const [path, body] of calls)
      expect([path, (await server.call('POST', path, by, body)).status]).toEqual([
        path,
        expect.toSatisfy((status) => status >= 400 && status < 500),
      ]);
    expect((await server.call<{ people: readonly object[] }>('GET', '/v1/people', owner)).body.people).toHaveLength(1);
    expect((await view()).codes).toEqual([]);
  });

  it('is made and ended only by the owner, who thereby ends the sign-in with it at once', async () => {
    const grace = await server.person('Grace');
    const audrey = await server.person('Audrey', 'auditor');
    const key = await server.approverKey();
    for (const by of [grace.headers, audrey.headers, key.headers, agent.headers])
      expect((await make('mine', by)).status).toBe(403);
    const { id, code } = (await make()).body;
    for (const by of [grace.headers, audrey.headers, agent.headers])
      expect((await server.call('POST', `/v1/break-glass/${id}/end`, by, {})).status).toBe(403);
    const by = await signedIn(code);
    const [open] = (await view()).open;
    expect((await server.call('POST', `/v1/break-glass/${open?.id}/end`, owner, {})).status).toBe(204);
    expect((await server.call('GET', '/v1/whoami', by)).status).toBe(401);
    expect(await view()).toEqual({ codes: [], open: [], left: [] });
    const taken = (await make()).body;
    expect((await server.call('POST', `/v1/break-glass/${taken.id}/end`, owner, {})).status).toBe(204);
    expect((await signIn(taken.code)).status).toBe(403);
    const absent = await server.call<ErrorBody>('POST', `/v1/break-glass/${taken.id}/end`, owner, {});
    expect(absent.body.error.code).toBe('break_glass.not_found');
  });

  it('can be ended by its first id while it is in use; after that the id is unknown', async () => {
    const { id, code } = (await make()).body;
    const by = await signedIn(code);
    const other = await signedIn((await make('another')).body.code);
    expect((await server.call('POST', `/v1/break-glass/${id}/end`, owner, {})).status).toBe(204);
    expect((await server.call('GET', '/v1/whoami', by)).status).toBe(401);
    expect((await server.call('GET', '/v1/whoami', other)).status).toBe(200);
    expect((await view()).open).toMatchObject([{ name: 'another (break-glass)' }]);
    expect((await server.call('POST', `/v1/break-glass/${id}/end`, owner, {})).status).toBe(404);
  });

  it('also decides if the rules for people cannot be read', async () => {
    const by = await signedIn((await make()).body.code);
    await server.running.store.write(async (rows) => rows.passkeys.setOwnerSetting('people', '{'));
    expect((await approve(owner, await file('/d/x'))).status).toBeGreaterThanOrEqual(400);
    expect((await approve(by, await file('/d/y'))).body.state).toBe('approved');
  });

  it('notifies every approver and auditor of its use at once, in quiet hours too, and of each decision by it', async () => {
    const grace = await server.person('Grace', 'approver', { requesters: [], hosts: null, upTo: 'low' });
    await addChannel(server, owner, { kind: 'webhook', name: 'owner', url: `${receiver.url}/owner` });
    await addChannel(server, grace.headers, { kind: 'webhook', name: 'grace', url: `${receiver.url}/grace` });
    const audrey = await server.person('Audrey', 'auditor');
    await addChannel(server, audrey.headers, { kind: 'webhook', name: 'audrey', url: `${receiver.url}/audrey` });
    const quiet = { from: 0, to: 1440, timeZone: 'UTC' };
    await prefer(server, owner, { quiet, minimumRisk: 'critical' });
    await prefer(server, grace.headers, { shows: 'nothing', onlyWhenEscalated: true });
    const by = await signedIn((await make()).body.code);
    const grant = await file('/d/x');
    await approve(by, grant);
    const bodies = () => receiver.received.map(({ path, body }) => ({ path, ...JSON.parse(body.toString()) }));
    await until(bodies, (all) => all.length >= 6);
    await sleep(2_600);
    const sent = bodies().map(({ path, type, data }) => `${path} ${type} ${data.grantId}`);
    expect(sent.toSorted()).toEqual([
      `/audrey grant.break-glass ${grant.id}`,
      '/audrey grant.break-glass null',
      `/grace grant.break-glass ${grant.id}`,
      '/grace grant.break-glass null',
      `/owner grant.break-glass ${grant.id}`,
      '/owner grant.break-glass null',
    ]);
    expect(await setPerson(server.running.store, 's_owner', { own: [] }, { nowMs })).toMatchObject({ ok: true });
  });
});
