/** A requester's credential can read, ask, redeem and withdraw, but never decide; a caller without a credential cannot decide either. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import { createOwnerLink, enrolApproverKey, OWNER_ID } from '../../src/server/identity/administration.ts';
import { newKey, type Person, TestServer } from '../component/server-fixture.ts';

let server: TestServer;
let agent: Person;
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
});
afterAll(() => server.stop());

type Routes = { paths: Record<string, Record<string, unknown>> };

/** Every route of the OpenAPI document, so that a route that is added later is tested too. */
async function everyRoute(): Promise<readonly (readonly [string, string])[]> {
  const { paths } = (await server.call<Routes>('GET', '/openapi.json')).body;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
}

const PUBLIC = new Set([
  'GET /healthz',
  'GET /readyz',
  'GET /v1/problems/{code}',
  'GET /v1/server',
  'POST /v1/auth/challenge',
  'POST /v1/auth/token',
  'POST /v1/auth/rotate',
  'POST /v1/enrolments',
  'POST /v1/enrolments/{id}/nonce',
  'POST /v1/sign-in/passkey',
  'POST /v1/sign-in/passkey/request',
  'POST /v1/sign-in/recovery-code',
  'GET /v1/enrolments/{id}',
]);
const FOR_REQUESTERS = new Set([
  'GET /v1/approver-lists',
  'GET /v1/connection',
  'GET /v1/whoami',
  'POST /v1/requests',
  'POST /v1/explain',
  'GET /v1/grants',
  'GET /v1/grants/{id}',
  'GET /v1/grants/{id}/events',
  'GET /v1/grants/{id}/why',
  'POST /v1/grants/{id}/redeem',
  'POST /v1/grants/{id}/withdraw',
  'POST /v1/reports',
  'POST /v1/plans',
  'GET /v1/plans/{id}',
  'POST /v1/plans/{id}/done',
  'GET /v1/orders',
  'POST /v1/orders/{id}/answer',
]);
const bodyFor = (path: string) =>
  path.endsWith('/approve') && path.includes('grants')
    ? { version: 1, term: { kind: 'always' } }
    : path.endsWith('/deny') || path.endsWith('/revoke')
      ? { version: 1 }
      : undefined;

describe('a requester', () => {
  it('gets 403 on every route that is not for requesters, and decides nothing', async () => {
    const grant = await server.pending(agent, 'self');
    const tried: string[] = [];
    for (const [method, path] of await everyRoute()) {
      if (PUBLIC.has(`${method} ${path}`) || FOR_REQUESTERS.has(`${method} ${path}`)) continue;
      const answer = await server.call<ErrorBody>(method, path.replace('{id}', grant.id), agent.headers, bodyFor(path));
      expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 403, 'auth.forbidden']);
      tried.push(`${method} ${path}`);
    }
    expect(tried).toEqual(
      expect.arrayContaining([
        'POST /v1/grants/{id}/approve',
        'POST /v1/grants/{id}/deny',
        'POST /v1/grants/{id}/revoke',
        'POST /v1/grants/{id}/preview',
        'GET /v1/grants/{id}/proposals',
        'POST /v1/policies',
        'POST /v1/policies/document',
        'POST /v1/approver-lists',
        'POST /v1/grants/{id}/approval-document',
        'POST /v1/approvals',
        'POST /v1/approvals/document',
        'POST /v1/policies/{id}/end',
        'DELETE /v1/policies/{id}/end',
        'GET /v1/audit',
        'GET /v1/events',
      ]),
    );
    const now = await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect([now.body.state, now.body.version]).toEqual(['pending', 1]);
  });

  it('gets no page that is for approvers', async () => {
    for (const path of ['/', '/standing', '/history', '/grants/x', '/parts/card/x'])
      expect([path, (await server.call('GET', path, agent.headers)).status]).toEqual([path, 403]);
  });

  it('cannot decide if it sends an approver’s cookie with its own token: only the token counts', async () => {
    const grant = await server.pending(agent, 'mixed');
    const owner = await server.owner();
    const answer = await server.decide({ ...owner, ...agent.headers }, grant.id, 'approve', {
      version: 1,
      term: { kind: 'once' },
    });
    expect(answer.status).toBe(403);
  });

  it('cannot become an approver by enrolling its key as one', async () => {
    const key = newKey();
    const body = { name: 'x', host: 'x', user: 'x', publicKey: key.publicKey, role: 'approver' };
    expect((await server.call('POST', '/v1/enrolments', {}, body)).status).toBe(400);
    const { publicKey } = await server.running.store
      .read((rows) => rows.subject(agent.id))
      .then((read) => (read.ok && read.value) || { publicKey: '' });
    const made = await enrolApproverKey(server.running.store, { name: 'x', publicKey: publicKey ?? '' });
    expect(made.ok).toBe(false);
  });

  it('sees and uses only its own grants', async () => {
    const grant = await server.pending(agent, 'mine');
    const other = await server.requester('other');
    const list = await server.call<{ grants: GrantView[] }>('GET', '/v1/grants?limit=200', other.headers);
    expect(list.body.grants).toEqual([]);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/events', undefined],
      ['POST', '/withdraw', undefined],
      ['POST', '/redeem', { fingerprint: grant.fingerprint, nonce: 'n'.repeat(20) }],
    ] as const)
      expect((await server.call(method, `/v1/grants/${grant.id}${path}`, other.headers, body)).status).toBe(403);
  });
});

describe('a caller without a credential', () => {
  it('gets 401 on every route but the public ones', async () => {
    for (const [method, path] of await everyRoute()) {
      if (PUBLIC.has(`${method} ${path}`)) continue;
      const answer = await server.call<ErrorBody>(method, path.replace('{id}', 'g_x'), {}, bodyFor(path));
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    for (const path of [
      '/',
      '/standing',
      '/history',
      '/grants/x',
      '/enrolments/x',
      '/parts/card/x',
      '/parts/row/x',
      '/parts/enrolment/x',
    ])
      expect([path, (await server.call('GET', path)).status]).toEqual([path, 401]);
  });

  it('cannot use the stored hash of a secret in place of the secret, nor a secret of one kind as another kind', async () => {
    const link = await createOwnerLink(server.running.store, { nowMs: Date.now() });
    if (!link.ok) throw new Error('no link');
    expect((await server.call('POST', `/sign-in/${sha256Hex(link.value)}`)).status).toBe(410);
    const owner = await server.owner();
    const secret = (owner['cookie'] ?? '').split('=')[1] ?? '';
    expect((await server.call('GET', '/v1/whoami', { cookie: `ape_session=${sha256Hex(secret)}` })).status).toBe(401);
    expect((await server.call('GET', '/v1/whoami', { authorization: `Bearer ${secret}` })).status).toBe(401);
    const token = agent.headers['authorization'] ?? '';
    expect((await server.call('GET', '/v1/whoami', { cookie: `ape_session=${token.slice(7)}` })).status).toBe(401);
  });

  it('who reads the database file finds only hashes: no token, no cookie of a session, no sign-in link', async () => {
    const link = await server.ownerLink();
    const session = ((await server.owner())['cookie'] ?? '').split('=')[1] ?? '';
    const token = (await server.requester('bytes')).headers['authorization']?.slice(7) ?? '';
    const bytes = ['', '-wal']
      .map((ending) => readFileSync(join(server.directory, `grants.db${ending}`), 'latin1'))
      .join('');
    for (const secret of [link, session, token]) {
      expect(secret).toHaveLength(43);
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(sha256Hex(secret))).toBe(true); // proves that these files would contain the secret
    }
  });

  it('does not learn from a challenge whether a requester or an approver exists', async () => {
    const ask = async (subjectId: string) => {
      const answer = await server.call<{ challenge: string; expiresAtMs: number }>(
        'POST',
        '/v1/auth/challenge',
        {},
        { subjectId },
      );
      return [answer.status, Object.keys(answer.body), answer.body.challenge.length];
    };
    expect(await ask(agent.id)).toEqual(await ask('s_nobody'));
    expect(await ask(OWNER_ID)).toEqual(await ask('s_nobody'));
  });
});

describe('an approver', () => {
  it('with an approver key decides without a browser', async () => {
    const approver = await server.approverKey();
    const grant = await server.pending(agent, 'by key');
    const answer = await server.decide(approver.headers, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect([answer.status, answer.body.decidedBy]).toEqual([200, approver.id]);
  });

  it('cannot file or redeem a request: a subject that decides never runs commands', async () => {
    const approver = await server.approverKey();
    const grant = await server.pending(agent, 'two people');
    await server.decide(approver.headers, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect((await server.ask(approver, 'anything')).status).toBe(403);
    expect((await server.redeem(approver, grant)).status).toBe(403);
  });
});
