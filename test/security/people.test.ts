/** What an approver, an approver with limits, an auditor, and the person to whom a requester belongs may call and decide. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/people/may-decide.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Limits } from '../../src/core/wire/limits.ts';
import { invitePerson, setPerson } from '../../src/server/identity/people-administration.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
let server: TestServer;
let agent: Person;
let other: Person;
let owner: Headers;
let auditor: Headers;
let limited: { id: string; headers: Headers };
const LIMITS: Limits = { requesters: null, hosts: ['box'], upTo: 'critical' };
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
  other = await server.requester('other');
  owner = await server.owner();
  auditor = (await server.person('Audrey', 'auditor')).headers;
  limited = await server.person('Lim', 'approver', LIMITS);
});
afterAll(() => server.stop());

type Routes = { paths: Record<string, Record<string, unknown>> };
async function routes(): Promise<readonly (readonly [string, string])[]> {
  const { paths } = (await server.call<Routes>('GET', '/openapi.json')).body;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
}

/** Routes for a person's own devices, sign-ins and notifications, and routes that need no sign-in. */
const OF_ONESELF =
  /^\/v1\/(passkeys|recovery-codes|sign-ins|sign-in|notifications|auth|enrolments$|enrolments\/\{id\}\/nonce$|session$|healthz)/;
const bodyFor = (path: string) => {
  if (path.endsWith('/approve') || path.endsWith('/approval-document')) return { version: 1, term: { kind: 'once' } };
  return path.endsWith('/deny') || path.endsWith('/revoke') ? { version: 1 } : {};
};
const NOTHING = { digest: null, resultDigest: null, bytes: null, danger: null };
const READ = { verb: 'read' as const, path: '/home/agent/x', askedPath: '/home/agent/x', ...NOTHING };
const state = async (id: string) => (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body;
const approve = (by: Headers, grant: GrantView, more: object = {}) =>
  server.decide(by, grant.id, 'approve', { version: grant.version, term: { kind: 'once' }, ...more });

describe('an auditor', () => {
  it('reads what an approver reads, and gets 403 from every route that changes something of another person', async () => {
    const grant = await server.pending(agent, 'audited');
    const refused: string[] = [];
    for (const [method, path] of await routes()) {
      if (method === 'GET' || OF_ONESELF.test(path)) continue;
      const answer = await server.call<ErrorBody>(method, path.replace('{id}', grant.id), auditor, bodyFor(path));
      // Every subject may call this route, which changes nothing.
      if (path === '/v1/explain') continue;
      expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 403, 'auth.forbidden']);
      refused.push(`${method} ${path}`);
    }
    expect(refused).toEqual(
      expect.arrayContaining([
        'POST /v1/grants/{id}/approve',
        'POST /v1/approvals',
        'POST /v1/approvals/document',
        'POST /v1/grants/{id}/deny',
        'POST /v1/grants/{id}/revoke',
        'POST /v1/policies',
        'POST /v1/people',
        'POST /v1/people/{id}',
        'POST /v1/approver-lists',
        'POST /v1/enrolments/{id}/approve',
        'POST /v1/requesters/{id}/resume',
      ]),
    );
    expect(await state(grant.id)).toMatchObject({ state: 'pending', version: 1 });
    for (const path of ['/v1/audit', '/v1/grants', `/v1/grants/${grant.id}`, '/v1/people', '/v1/policies'])
      expect([path, (await server.call('GET', path, auditor)).status]).toEqual([path, 200]);
  });

  it('gets the pages, which show that an auditor decides nothing', async () => {
    for (const path of ['/', '/standing', '/history', '/rules', '/requesters', '/devices']) {
      const page = await server.call<string>('GET', path, auditor);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.body).toContain('You are an auditor');
    }
  });

  it('who was an approver can decide nothing from the moment of the change, also in open sessions', async () => {
    const person = await server.person('Bob');
    const grant = await server.pending(agent, 'of bob');
    const at = { nowMs: Date.now() };
    expect((await setPerson(server.running.store, person.id, { role: 'auditor' }, at)).ok).toBe(true);
    expect((await approve(person.headers, grant)).status).toBe(403);
    expect((await setPerson(server.running.store, person.id, { role: 'approver' }, at)).ok).toBe(true);
    expect((await approve(person.headers, grant)).body.state).toBe('approved');
  });
});

describe('an approver with limits', () => {
  const within = (more: Partial<Limits>) => setLimits({ ...LIMITS, ...more });
  async function setLimits(limits: Limits | null, own: readonly string[] = []) {
    const set = await setPerson(server.running.store, limited.id, { limits, own }, { nowMs: Date.now() });
    expect(set.ok).toBe(true);
  }

  it('decides requests and pauses requesters, and gets 403 from every other route that changes something of other people', async () => {
    await within({});
    const grant = await server.pending(agent, 'managed');
    const OPEN =
      /^POST \/v1\/(grants\/\{id\}\/(approve|approval-document|deny|revoke|preview)|approvals|approvals\/document|(requesters\/\{id\}|hosts)\/pause|explain)$/;
    for (const [method, path] of await routes()) {
      if (method === 'GET' || OF_ONESELF.test(path) || OPEN.test(`${method} ${path}`)) continue;
      const answer = await server.call<ErrorBody>(
        method,
        path.replace('{id}', grant.id),
        limited.headers,
        bodyFor(path),
      );
      expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 403, 'auth.forbidden']);
    }
  });

  it.each([
    ['another requester', (): Partial<Limits> => ({ requesters: [other.id] })],
    ['another host', (): Partial<Limits> => ({ hosts: ['else'] })],
    ['no requester at all', (): Partial<Limits> => ({ requesters: [] })],
    ['no host at all', (): Partial<Limits> => ({ hosts: [] })],
    ['a lower risk, for a line that cannot be read', (): Partial<Limits> => ({ upTo: 'high' })],
  ])('cannot approve a request if the limits allow only %s', async (what, limits) => {
    await within(limits());
    const grant = await server.pending(agent, `eval "$X" # ${what}`);
    const answer = await approve(limited.headers, grant);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'approver.limits']);
    expect(await state(grant.id)).toMatchObject({ state: 'pending', version: 1 });
  });

  it('approves and denies within them', async () => {
    await within({ requesters: [agent.id] });
    expect((await approve(limited.headers, await server.pending(agent, 'within'))).body.state).toBe('approved');
    const grant = await server.pending(agent, 'denied within');
    expect((await server.decide(limited.headers, grant.id, 'deny', { version: 1 })).body.state).toBe('denied');
  });

  it('denies requests of a higher risk, but none of requesters outside the limits', async () => {
    await within({ requesters: [agent.id], upTo: 'low' });
    const risky = await server.pending(agent, 'eval "$Y"');
    expect((await server.decide(limited.headers, risky.id, 'deny', { version: 1 })).body.state).toBe('denied');
    const foreign = await server.pending(other, 'foreign');
    const answer = await server.decide(limited.headers, foreign.id, 'deny', { version: 1 });
    expect(answer.body.error.code).toBe('approver.limits');
  });

  it('may not approve a scope whose risk is above the limit, even if the request is within it', async () => {
    await within({ upTo: 'low' });
    const grant = await server.pending(agent, 'Read', {
      kind: 'file',
      files: [READ],
    });
    const scope = { operations: ['read', 'write'], pathPrefix: '/home/agent' };
    const answer = await approve(limited.headers, grant, { term: { kind: 'always' }, scope });
    expect(answer.body.error.code).toBe('approver.limits');
    expect((await approve(limited.headers, grant)).body.state).toBe('approved');
  });

  it('cannot approve requests of their own requester, whatever the limits, but may deny them', async () => {
    await setLimits(null, [agent.id]);
    const grant = await server.pending(agent, 'mine');
    const answer = await approve(limited.headers, grant);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'approver.own_request']);
    expect((await approve(limited.headers, await server.pending(other, 'not mine'))).body.state).toBe('approved');
    expect((await server.decide(limited.headers, grant.id, 'deny', { version: 1 })).body.state).toBe('denied');
  });
});

describe('rules for people', () => {
  it('that cannot be read allow no person to approve, and every person to deny', async () => {
    const grant = await server.pending(agent, 'damaged');
    const put = (value: string) => server.running.store.write((rows) => rows.passkeys.setOwnerSetting('people', value));
    for (const text of ['{', '{}', JSON.stringify({ ...NO_RULES, persons: [{ id: 's_x' }] })]) {
      await put(text);
      expect([text, (await approve(owner, grant)).status]).toEqual([text, 503]);
    }
    expect((await server.decide(owner, grant.id, 'deny', { version: 1 })).body.state).toBe('denied');
    await put(JSON.stringify(NO_RULES));
  });

  it('that cannot be read leave the role of a person as it is', async () => {
    const { store } = server.running;
    const put = (value: string) => store.write((rows) => rows.passkeys.setOwnerSetting('people', value));
    const roleOf = async () => {
      const person = await store.read((rows) => rows.subject(limited.id));
      return person.ok ? person.value?.role : person.failure;
    };
    const before = await roleOf();
    await put('{');
    const other = before === 'auditor' ? 'approver' : 'auditor';
    expect(await setPerson(store, limited.id, { role: other }, { nowMs: Date.now() })).toMatchObject({ ok: false });
    expect(await roleOf()).toBe(before);
    await put(JSON.stringify(NO_RULES));
  });

  it('cannot limit the owner or name an unknown person', async () => {
    const at = { nowMs: Date.now() };
    const set = (id: string, change: object) => setPerson(server.running.store, id, change, at);
    expect(await set('s_owner', { limits: LIMITS })).toMatchObject({ ok: false });
    expect(await set('s_owner', { role: 'auditor' })).toMatchObject({ ok: false });
    expect(await set(agent.id, { role: 'approver' })).toMatchObject({ ok: false });
    expect(await set('s_nobody', { limits: LIMITS })).toMatchObject({ ok: false });
    expect(await set(limited.id, { own: ['s_nobody'] })).toMatchObject({ ok: false });
  });

  it('take no revoked requester, but keep one that was revoked after it was chosen', async () => {
    const at = { nowMs: Date.now() };
    const set = (id: string, change: object) => setPerson(server.running.store, id, change, at);
    const [early, late] = [await server.requester('revoked early'), await server.requester('revoked late')];
    const revoke = ({ id }: { id: string }) => server.call('POST', `/v1/requesters/${id}/revoke`, owner, {});
    expect((await revoke(early)).status).toBe(204);
    const gone = { ok: false, failure: { detail: 'requester.not_found' } };
    const only = (...requesters: readonly string[]) => ({ limits: { ...LIMITS, requesters } });
    expect(await set(limited.id, only(early.id))).toMatchObject(gone);
    expect(await set(limited.id, { own: [early.id] })).toMatchObject(gone);
    expect(await set(limited.id, { ...only(late.id), own: [late.id] })).toMatchObject({ ok: true });
    expect((await revoke(late)).status).toBe(204);
    expect(await set(limited.id, only(late.id, agent.id))).toMatchObject({ ok: true });
    expect(await set(limited.id, { own: [late.id] })).toMatchObject({ ok: true });
    expect(await set(limited.id, { limits: null, own: [] })).toMatchObject({ ok: true });
    expect(await set(limited.id, { own: [late.id] })).toMatchObject(gone);
    const invited = await invitePerson(server.running.store, 'Late', 'approver', only(early.id).limits, at);
    expect(invited).toMatchObject(gone);
  });
});
