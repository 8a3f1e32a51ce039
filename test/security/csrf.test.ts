/** A cookie alone changes nothing: a change must come from a page of ours, with that page's token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';

let server: TestServer;
let agent: Person;
let owner: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
  owner = await server.owner();
});
afterAll(() => server.stop());

const once = { version: 1, term: { kind: 'once' } };

describe('a sign-in link', () => {
  it('is not used up by a form of another site: the browser gets no session, and shows our page with the button', async () => {
    const path = `/sign-in/${await server.ownerLink()}`;
    for (const site of ['cross-site', 'same-site']) {
      const answer = await server.call('POST', path, { 'sec-fetch-site': site, origin: 'null' });
      const { headers } = answer;
      expect([answer.status, headers.get('location'), headers.get('set-cookie')]).toEqual([303, path, null]);
    }
    for (const origin of ['null', 'https://evil.example', 'http://127.0.0.1:1', `${server.url}.evil.example`]) {
      const { status, headers } = await server.call('POST', path, { origin });
      const got = [origin, status, headers.get('location'), headers.get('set-cookie')];
      expect(got).toEqual([origin, 303, path, null]);
    }
    expect((await server.call('GET', path, { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
    const own = await server.call('POST', path, { 'sec-fetch-site': 'same-origin', origin: 'null' });
    expect([own.status, own.headers.get('location')]).toEqual([303, '/']);
  });

  it('is used up by a form of our own page, and by a program', async () => {
    for (const headers of [{ origin: server.url }, {}]) {
      const { status, headers: got } = await server.call('POST', `/sign-in/${await server.ownerLink()}`, headers);
      expect([status, got.get('location'), got.get('set-cookie')]).toEqual([303, '/', expect.stringContaining('=')]);
    }
  });
});

describe('a change with the owner’s cookie', () => {
  it('is refused without the page’s token, with another one, and from another origin', async () => {
    const grant = await server.pending(agent, 'csrf');
    const { cookie = '', origin = '', 'x-csrf-token': token = '' } = owner;
    const other = (await server.owner())['x-csrf-token'] ?? '';
    const attempts: readonly Record<string, string>[] = [
      { cookie },
      { cookie, origin },
      { cookie, 'x-csrf-token': token },
      { cookie, origin, 'x-csrf-token': '' },
      { cookie, origin, 'x-csrf-token': other },
      { cookie, origin, 'x-csrf-token': `${token}0` },
      { cookie, origin: 'null', 'x-csrf-token': token },
      { cookie, origin: 'https://evil.example', 'x-csrf-token': token },
      { cookie, origin: `http://localhost:${server.running.port}`, 'x-csrf-token': token },
      { cookie, origin: `${origin}.evil.example`, 'x-csrf-token': token },
      { cookie, origin: 'http://127.0.0.1:1', 'x-csrf-token': token },
    ];
    for (const headers of attempts) {
      const answer = await server.decide(headers, grant.id, 'approve', once);
      expect([headers, answer.status, answer.body.error.code]).toEqual([headers, 403, 'csrf.failed']);
    }
    expect((await server.decide(owner, grant.id, 'approve', once)).status).toBe(200);
  });

  it('is refused on every route that changes something', async () => {
    const grant = await server.pending(agent, 'every');
    const { cookie = '' } = owner;
    const routes = [
      ['POST', `/v1/grants/${grant.id}/approve`, once],
      ['POST', `/v1/grants/${grant.id}/deny`, { version: 1 }],
      ['POST', `/v1/grants/${grant.id}/revoke`, { version: 1 }],
      ['POST', '/v1/enrolments/e_x/approve', undefined],
      ['POST', '/v1/enrolments/e_x/deny', undefined],
      ['POST', '/v1/passkeys/creation', {}],
      ['POST', '/v1/passkeys/k_x/rename', { name: 'x' }],
      ['POST', '/v1/passkeys/k_x/remove', {}],
      ['POST', '/v1/recovery-codes', {}],
      ['POST', '/v1/sign-ins/end-others', undefined],
      ['POST', '/v1/sign-ins/i_x/end', undefined],
      ['POST', '/v1/people', { name: 'eve' }],
      ['POST', '/v1/people/s_x/revoke', {}],
      ['POST', '/v1/approval-settings', { passkeyAbove: 'critical' }],
      ['DELETE', '/v1/session', undefined],
    ] as const;
    for (const [method, path, body] of routes) {
      const answer = await server.call<ErrorBody>(method, path, { cookie }, body);
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, 'csrf.failed']);
    }
    const now = await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect(now.body.state).toBe('pending');
    expect((await server.call('GET', '/v1/whoami', { cookie })).status).toBe(200); // and is still signed in
  });

  it('is refused when it is not JSON, as a form of another site would send it', async () => {
    const grant = await server.pending(agent, 'form');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await fetch(`${server.url}/v1/grants/${grant.id}/approve`, {
        method: 'POST',
        headers: { ...owner, 'content-type': type },
        body: JSON.stringify(once),
      });
      expect([type, answer.status >= 400]).toEqual([type, true]);
      await answer.arrayBuffer();
    }
    const now = await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect(now.body.state).toBe('pending');
  });

  it('never happens by following a link: no GET changes anything', async () => {
    const grant = await server.pending(agent, 'get');
    for (const verb of ['approve', 'deny', 'revoke', 'withdraw', 'redeem'])
      expect((await server.call('GET', `/v1/grants/${grant.id}/${verb}`, owner)).status).toBe(404);
    for (const path of ['/', `/grants/${grant.id}`, '/history', '/standing', `/parts/card/${grant.id}`])
      expect((await server.call('GET', path, owner)).status).toBe(200);
    const now = await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect([now.body.state, now.body.version]).toEqual(['pending', 1]);
  });

  it('cannot be read by another origin: no answer has a header that allows it', async () => {
    for (const path of ['/v1/grants', '/', '/openapi.json']) {
      const { headers } = await server.call('GET', path, { ...owner, origin: 'https://evil.example' });
      expect(headers.get('access-control-allow-origin')).toBe(null);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });
});
