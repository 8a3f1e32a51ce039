/** The life of a request on a real server: filed, decided, used, revoked. */
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PENDING_LIFETIME_MS, UNUSED_ONCE_LIFETIME_MS } from '../../src/core/grant/grant.ts';
import { canonicalRequest } from '../../src/core/grant/request.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PermitPayload } from '../../src/core/wire/permit.ts';
import type { ServerInfo } from '../../src/core/wire/server-info.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import { revokeSubject } from '../../src/server/identity/administration.ts';
import { MAX_PENDING_PER_REQUESTER } from '../../src/server/limits.ts';
import { newKey, nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let skipMs = 0;
let agent: Person;
let owner: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await TestServer.start({ clock: () => Date.now() + skipMs });
});
afterAll(() => server.stop());

/** Signs in again and fetches new tokens, because the tests move the clock. */
async function people() {
  owner = await server.owner();
  agent = await server.requester();
}
const once = { version: 1, term: { kind: 'once' } };
const always = { version: 1, term: { kind: 'always' } };
const codeOf = (answer: { status: number; body: ErrorBody }) => [answer.status, answer.body.error?.code];

describe('a request', () => {
  it('waits, is approved once, is used once, and then waits again', async () => {
    await people();
    const grant = await server.pending(agent, 'echo hi');
    expect(grant).toMatchObject({ state: 'pending', version: 1, url: `${server.url}/grants/${grant.id}` });
    const approved = await server.decide(owner, grant.id, 'approve', once);
    expect([approved.status, approved.body.state]).toEqual([200, 'approved']);
    expect((await server.redeem(agent, grant)).status).toBe(200);
    expect(codeOf(await server.redeem(agent, grant))).toEqual([409, 'grant.used']);
    expect((await server.ask(agent, 'echo hi')).status).toBe(202);
  });

  it('is filed once: asking again while it waits returns the same grant', async () => {
    await people();
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.ask(agent, 'echo same')));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(202));
    const bodies = answers.map(({ body }) => (body.outcome === 'pending' ? body : null));
    expect(new Set(bodies.map((body) => body?.grant.id)).size).toBe(1);
    expect(bodies.filter((body) => body?.filed)).toHaveLength(1);
  });

  it('that a standing grant covers is permitted at once, until the grant is revoked', async () => {
    await people();
    const grant = await server.pending(agent, 'uptime');
    await server.decide(owner, grant.id, 'approve', always);
    expect((await server.ask(agent, 'uptime')).status).toBe(200);
    expect((await server.ask(agent, 'uptime')).status).toBe(200);
    expect((await server.decide(owner, grant.id, 'revoke', { version: 2 })).body.state).toBe('revoked');
    expect((await server.ask(agent, 'uptime')).status).toBe(202);
    expect(codeOf(await server.redeem(agent, grant))).toEqual([409, 'grant.revoked']);
  });

  it('is covered only byte for byte, with the same directory, kind, arguments and environment', async () => {
    await people();
    const grant = await server.pending(agent, 'make');
    await server.decide(owner, grant.id, 'approve', always);
    expect((await server.ask(agent, 'make')).status).toBe(200);
    const variations = [
      { text: 'make ' },
      { cwd: '/home/agent/' },
      { kind: 'line' as const },
      { argv: ['x'] },
      { environment: [{ name: 'PATH', value: '/tmp' }] },
    ];
    for (const more of variations) expect([more, (await server.ask(agent, 'make', more)).status]).toEqual([more, 202]);
    const stranger = await server.requester('other', 'box', 'agent');
    expect((await server.ask(stranger, 'make')).status).toBe(202);
  });

  it('of 1 MB is kept and shown whole', async () => {
    await people();
    const text = `echo '${'ü\n'.repeat(330_000)}'`;
    const grant = await server.pending(agent, text);
    expect(grant.request.text).toBe(text);
    const body = { request: requestFor('x'.repeat(5_000_000)), nonce: nonce() };
    expect(codeOf(await server.call<ErrorBody>('POST', '/v1/requests', agent.headers, body))).toEqual([
      413,
      'request.malformed',
    ]);
  });

  it('is answered with a permit that names what it permits and is signed by the server', async () => {
    await people();
    const grant = await server.pending(agent, 'id -u');
    await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'timed', forMs: 60_000 } });
    const body = { request: requestFor('id -u'), nonce: nonce() };
    const { permit } = (await server.call<{ permit: string }>('POST', '/v1/requests', agent.headers, body)).body;
    const [head = '', payload = '', signature = ''] = permit.split('.');
    const info = (await server.call<ServerInfo>('GET', '/v1/server')).body;
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: info.publicKey }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(verify(null, Buffer.from(`${head}.${payload}x`), key, Buffer.from(signature, 'base64url'))).toBe(false);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString()).alg).toBe('EdDSA');
    const signed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as PermitPayload;
    expect(signed).toMatchObject({
      typ: 'ape-permit/1',
      grantId: grant.id,
      requesterId: agent.id,
      nonce: body.nonce,
      fingerprint: sha256Hex(canonicalRequest(body.request)),
      term: { kind: 'timed' },
    });
  });
});

describe('a requester', () => {
  it('cannot flood its approver with requests', async () => {
    await people();
    for (let filed = 0; filed < MAX_PENDING_PER_REQUESTER; filed += 1) await server.pending(agent, `flood ${filed}`);
    expect(codeOf(await server.ask(agent, 'one more'))).toEqual([429, 'server.too_many']);
    expect((await server.ask(agent, 'flood 0')).status).toBe(202); // what waits already still waits
    const other = await server.requester('other');
    expect((await server.ask(other, 'one more')).status).toBe(202);
    expect((await server.call('GET', '/', owner)).status).toBe(200);
  });
});

describe('time', () => {
  it('ends undecided requests, unused approvals and timed approvals, in every answer and list', async () => {
    await people();
    const undecided = await server.pending(agent, 'a');
    const unused = await server.pending(agent, 'b');
    await server.decide(owner, unused.id, 'approve', once);
    const timed = await server.pending(agent, 'c');
    await server.decide(owner, timed.id, 'approve', { version: 1, term: { kind: 'timed', forMs: 60_000 } });
    expect((await server.ask(agent, 'c')).status).toBe(200);
    skipMs += Math.max(PENDING_LIFETIME_MS, UNUSED_ONCE_LIFETIME_MS) + 1_000;
    const later = await server.signedIn(agent.id, agent.privateKey);
    const pending = await server.call<{ grants: GrantView[] }>(
      'GET',
      '/v1/grants?state=pending&limit=200',
      later.headers,
    );
    expect(pending.body.grants.map((grant) => grant.id)).not.toContain(undecided.id);
    const expired = await server.call<{ grants: GrantView[] }>(
      'GET',
      '/v1/grants?state=expired&limit=200',
      later.headers,
    );
    const ids = expired.body.grants.map((grant) => grant.id);
    expect(ids).toEqual(expect.arrayContaining([undecided.id, unused.id, timed.id]));
    expect(expired.body.grants.every((grant) => grant.state === 'expired')).toBe(true);
    for (const grant of [undecided, unused, timed])
      expect(codeOf(await server.redeem(later, grant))).toEqual([409, 'grant.expired']);
    expect((await server.ask(later, 'c')).status).toBe(202);
    expect(codeOf(await server.decide(await server.owner(), undecided.id, 'approve', once))).toEqual([
      409,
      'grant.expired',
    ]);
  });

  it('refuses an end that is already past', async () => {
    await people();
    const grant = await server.pending(agent, 'd');
    const term = { kind: 'timed', untilMs: server.nowMs() - 1 };
    expect(codeOf(await server.decide(owner, grant.id, 'approve', { version: 1, term }))).toEqual([422, 'term.over']);
    expect((await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers)).body.state).toBe('pending');
  });
});

describe('a decision', () => {
  it('is made once, also when two approvers decide at the same moment', async () => {
    await people();
    const grant = await server.pending(agent, 'two');
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => server.decide(owner, grant.id, 'approve', once)),
      ...Array.from({ length: 4 }, () => server.decide(owner, grant.id, 'deny', { version: 1, reason: 'no' })),
    ]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const refused = answers.filter((answer) => answer.status !== 200);
    for (const answer of refused) expect(['grant.already_approved', 'grant.denied']).toContain(answer.body.error.code);
    for (const answer of refused) expect(answer.body.error.grant?.id).toBe(grant.id);
  });

  it('about another version than the present one is refused', async () => {
    await people();
    const grant = await server.pending(agent, 'stale');
    expect(codeOf(await server.decide(owner, grant.id, 'approve', { ...once, version: 2 }))).toEqual([
      409,
      'grant.stale',
    ]);
    expect(codeOf(await server.decide(owner, grant.id, 'deny', { version: 9 }))).toEqual([409, 'grant.stale']);
  });

  it('carries the reason of a denial to the requester, and is final', async () => {
    await people();
    const grant = await server.pending(agent, 'denied');
    await server.decide(owner, grant.id, 'deny', { version: 1, reason: 'not today' });
    const refused = await server.redeem(agent, grant);
    expect(codeOf(refused)).toEqual([409, 'grant.denied']);
    expect(refused.body.error.grant?.denyReason).toBe('not today');
    expect(codeOf(await server.decide(owner, grant.id, 'approve', { ...once, version: 2 }))).toEqual([
      409,
      'grant.denied',
    ]);
  });

  it('comes too late for a request that was withdrawn', async () => {
    await people();
    const grant = await server.pending(agent, 'withdrawn');
    expect((await server.call<GrantView>('POST', `/v1/grants/${grant.id}/withdraw`, agent.headers)).body.state).toBe(
      'withdrawn',
    );
    expect(codeOf(await server.decide(owner, grant.id, 'approve', once))).toEqual([409, 'grant.withdrawn']);
  });

  it('is only for the fingerprint that was shown', async () => {
    await people();
    const grant = await server.pending(agent, 'exact');
    await server.decide(owner, grant.id, 'approve', once);
    expect(codeOf(await server.redeem(agent, { ...grant, fingerprint: '0'.repeat(64) }))).toEqual([
      409,
      'grant.fingerprint_mismatch',
    ]);
    expect((await server.redeem(agent, grant)).status).toBe(200);
  });
});

describe('malformed input', () => {
  it('is refused with one line', async () => {
    await people();
    const good = { request: requestFor('x'), nonce: nonce() };
    const bad: readonly (readonly [unknown, string])[] = [
      [{ ...good, extra: 1 }, 'body'],
      [{ ...good, request: { ...good.request, extra: 1 } }, 'body'],
      [{ ...good, nonce: 'short' }, 'nonce'],
      [{ ...good, request: { ...good.request, kind: 'other' } }, 'kind'],
      [{ ...good, request: { ...good.request, cwd: 'relative' } }, 'cwd'],
      [{ ...good, request: { ...good.request, text: 'a\0b' } }, 'NUL'],
      [{ ...good, request: { ...good.request, argv: ['\ud800'] } }, 'Unicode'],
      [{ ...good, request: { ...good.request, host: 'elsewhere' } }, 'enrolled for the host'],
      [{ ...good, request: { ...good.request, user: 'root' } }, 'enrolled for the user'],
      [
        { ...good, request: { ...good.request, environment: ['B', 'A'].map((name) => ({ name, value: '' })) } },
        'sorted',
      ],
      [{ ...good, request: { ...good.request, environment: ['A', 'A'].map((name) => ({ name, value: '' })) } }, 'once'],
      [{ ...good, reason: 'r'.repeat(2_001) }, 'reason'],
      ['{"request":', 'JSON'],
      ['{"__proto__":{}}', 'JSON'],
    ];
    for (const [body, names] of bad) {
      const answer = await server.call<ErrorBody>('POST', '/v1/requests', agent.headers, body);
      expect([names, ...codeOf(answer)]).toEqual([names, 400, 'request.malformed']);
      expect(answer.body.error.message).toContain(names);
    }
    const list = (query: string) => server.call<ErrorBody>('GET', `/v1/grants?${query}`, agent.headers);
    for (const query of ['id=g_', 'id=G_ABCD', 'id=g_ab%25', 'id=x', `id=g_${'a'.repeat(27)}`])
      expect(codeOf(await list(query))).toEqual([400, 'request.malformed']);
    for (const id of ['%00', 'a%20b', 'x'.repeat(65)])
      expect(codeOf(await server.call<ErrorBody>('GET', `/v1/grants/${id}`, agent.headers))).toEqual([
        400,
        'request.malformed',
      ]);
    expect(codeOf(await server.call<ErrorBody>('GET', '/v1/grants/nonsense', agent.headers))).toEqual([
      404,
      'grant.not_found',
    ]);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'state=odd', 'other=1'])
      expect(codeOf(await list(query))).toEqual([400, 'request.malformed']);
    expect(codeOf(await server.call<ErrorBody>('GET', '/v1/nothing'))).toEqual([404, 'request.malformed']);
  });
});

describe('a key', () => {
  it('gives a token for a challenge that it signed, once, within a minute, only for this server', async () => {
    await people();
    const key = newKey();
    expect((await server.token(agent.id, agent.privateKey)).status).toBe(200);
    expect((await server.token(agent.id, key.privateKey)).status).toBe(401);
    expect((await server.token('s_unknown', key.privateKey)).status).toBe(401);
  });

  it('signs a challenge that can be used once, and not by another subject', async () => {
    await people();
    const other = await server.requester();
    const { sign } = await import('node:crypto');
    const { publicKey } = (await server.call<ServerInfo>('GET', '/v1/server')).body;
    const fetchChallenge = async (subjectId: string) =>
      (await server.call<{ challenge: string }>('POST', '/v1/auth/challenge', {}, { subjectId })).body.challenge;
    const redeem = (subject: Person, challenge: string, signedFor = publicKey) => {
      const text = `ape-auth/1\n${signedFor}\n${subject.id}\n${challenge}`;
      const signature = sign(null, Buffer.from(text), subject.privateKey).toString('base64url');
      return server.call<ErrorBody>('POST', '/v1/auth/token', {}, { subjectId: subject.id, challenge, signature });
    };
    const challenge = await fetchChallenge(agent.id);
    expect((await redeem(other, challenge)).status).toBe(401);
    expect((await redeem(agent, challenge, newKey().publicKey)).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(agent, challenge)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const late = await fetchChallenge(agent.id);
    skipMs += 61_000;
    expect(codeOf(await redeem(agent, late))).toEqual([401, 'auth.unknown']);
  });

  it('gives a token that is valid for 15 minutes; afterwards the answer says that the token is expired', async () => {
    await people();
    expect((await server.call('GET', '/v1/whoami', agent.headers)).status).toBe(200);
    skipMs += 15 * 60_000 + 1;
    expect(codeOf(await server.call<ErrorBody>('GET', '/v1/whoami', agent.headers))).toEqual([401, 'auth.expired']);
  });
});

describe('a requester that was revoked', () => {
  it('can do nothing from that moment on, with its token or its key', async () => {
    await people();
    const grant = await server.pending(agent, 'gone');
    await server.decide(owner, grant.id, 'approve', always);
    expect(await revokeSubject(server.running.store, agent.id, { nowMs: server.nowMs() })).toEqual({
      ok: true,
      value: 'revoked',
    });
    expect(codeOf(await server.ask(agent, 'gone'))).toEqual([401, 'auth.expired']);
    expect((await server.redeem(agent, grant)).status).toBe(401);
    expect((await server.token(agent.id, agent.privateKey)).status).toBe(401);
  });
});

describe('a session', () => {
  it('lasts 30 days from the last visit', async () => {
    await people();
    const visit = () => server.call('GET', '/v1/whoami', owner);
    for (let visits = 0; visits < 3; visits += 1) {
      skipMs += 20 * 24 * 3_600_000;
      const answer = await visit();
      expect([answer.status, answer.headers.get('set-cookie')?.includes('Max-Age=2592000')]).toEqual([200, true]);
    }
    expect((await visit()).headers.get('set-cookie')).toBe(null); // the visit is recorded at most once an hour
    skipMs += 30 * 24 * 3_600_000 + 1;
    expect((await visit()).status).toBe(401);
  });
});

describe('the record', () => {
  it('accepts no report of a requester about a grant of another requester', async () => {
    await people();
    const grant = await server.pending(agent, 'recorded');
    const other = await server.requester('another agent');
    const report = { event: 'line.finished', sessionId: 'S', grantId: grant.id, status: 0, text: 'done' };
    const refused = await server.call('POST', '/v1/reports', other.headers, report);
    expect([refused.status, refused.body]).toMatchObject([404, { error: { code: 'grant.not_found' } }]);
    const { events } = (await server.call<{ events: { kind: string }[] }>('GET', '/v1/audit?limit=1000', owner)).body;
    expect(events.map(({ kind }) => kind)).not.toContain('line.finished');
  });

  it('has every step in order, without gaps, and no secret', async () => {
    await people();
    const before = await server.call<{ events: { seq: number }[] }>('GET', '/v1/audit?limit=1000', owner);
    const after = before.body.events.at(-1)?.seq ?? 0;
    const grant = await server.pending(agent, 'recorded');
    await server.ask(agent, 'recorded');
    await server.decide(owner, grant.id, 'approve', { ...once, version: 5 });
    await server.decide(owner, grant.id, 'approve', once);
    await server.redeem(agent, grant);
    await server.redeem(agent, grant);
    const report = { event: 'line.finished', sessionId: 'S', grantId: grant.id, status: 3, text: 'done' };
    expect((await server.call('POST', '/v1/reports', agent.headers, report)).status).toBe(204);
    type Events = {
      events: { seq: number; kind: string; grantId: string; actorId: string; facts: object; hash: null }[];
    };
    const { events } = (await server.call<Events>('GET', `/v1/audit?after=${after}`, owner)).body;
    expect(events.map((event) => event.kind)).toEqual([
      'grant.requested',
      'grant.repeated',
      'grant.refused',
      'grant.approved',
      'grant.used',
      'grant.refused',
      'line.finished',
    ]);
    expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => after + 1 + index));
    expect(events.every((event) => event.grantId === grant.id && event.hash === null)).toBe(true);
    expect(events[2]?.facts).toMatchObject({ code: 'grant.stale', wanted: 'approve' });
    expect(events.map((event) => event.actorId)).toEqual([
      agent.id,
      agent.id,
      's_owner',
      's_owner',
      agent.id,
      agent.id,
      agent.id,
    ]);
    const token = agent.headers['authorization']?.slice(7) ?? '';
    expect(JSON.stringify(before.body) + JSON.stringify(events)).not.toContain(token);
  });
});

describe('the OpenAPI document', () => {
  it('refuses unknown members in every part of a body; only the confinement of a sealed document may have more', async () => {
    type Document = { paths: Record<string, Record<string, { requestBody?: unknown }>> };
    const { body } = await server.call<Document>('GET', '/openapi.json');
    const open: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ('type' in schema && schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema))
        open.push(path);
      for (const [key, value] of Object.entries(schema)) if (key !== 'confinement') walk(value, `${path}/${key}`);
    };
    for (const [path, methods] of Object.entries(body.paths))
      for (const [method, { requestBody }] of Object.entries(methods)) walk(requestBody, `${method} ${path}`);
    expect(open).toEqual([]);
  });

  it('has every route with its answers', async () => {
    type Document = { openapi: string; paths: Record<string, Record<string, { responses: object }>> };
    const { body } = await server.call<Document>('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes.toSorted()).toEqual(
      [
        'delete /v1/notifications/channels/{id}',
        'get /v1/notifications',
        'get /v1/notifications/page-token',
        'post /v1/notifications/channels',
        'post /v1/notifications/channels/{id}/test',
        'post /v1/notifications/preferences',
        'delete /v1/policies/{id}/end',
        'delete /v1/session',
        'get /healthz',
        'get /readyz',
        'get /v1/approval-settings',
        'get /v1/break-glass',
        'post /v1/break-glass',
        'post /v1/break-glass/{id}/end',
        'post /v1/auth/rotate',
        'post /v1/requesters/{id}/rotate',
        'get /v1/people-rules',
        'post /v1/people-rules',
        'get /v1/audit',
        'get /v1/approver-lists',
        'post /v1/approver-lists',
        'post /v1/grants/{id}/approval-document',
        'post /v1/approvals',
        'post /v1/approvals/document',
        'post /v1/policies/document',
        'get /v1/connection',
        'get /v1/enrolments',
        'get /v1/enrolments/{id}',
        'get /v1/events',
        'get /v1/grants',
        'get /v1/grants/{id}',
        'get /v1/grants/{id}/events',
        'get /v1/grants/{id}/proposals',
        'get /v1/grants/{id}/why',
        'get /v1/passkeys',
        'get /v1/pauses',
        'get /v1/people',
        'get /v1/policies',
        'get /v1/problems/{code}',
        'get /v1/requesters',
        'get /v1/requesters/{id}/reading-evidence',
        'get /v1/server',
        'get /v1/sessions',
        'get /v1/sessions/{id}',
        'get /v1/sign-ins',
        'get /v1/whoami',
        'post /v1/approval-settings',
        'post /v1/auth/challenge',
        'post /v1/auth/token',
        'post /v1/enrolments',
        'post /v1/enrolments/{id}/approve',
        'post /v1/enrolments/{id}/deny',
        'post /v1/enrolments/{id}/nonce',
        'post /v1/explain',
        'post /v1/grants/{id}/approve',
        'post /v1/grants/{id}/deny',
        'post /v1/grants/{id}/preview',
        'post /v1/grants/{id}/redeem',
        'post /v1/grants/{id}/revoke',
        'post /v1/grants/{id}/withdraw',
        'post /v1/passkeys',
        'post /v1/passkeys/creation',
        'post /v1/passkeys/{id}/remove',
        'post /v1/passkeys/{id}/rename',
        'post /v1/people',
        'post /v1/people/{id}/revoke',
        'post /v1/policies',
        'post /v1/policies/{id}/end',
        'post /v1/recovery-codes',
        'post /v1/reports',
        'post /v1/requests',
        'post /v1/hosts/pause',
        'post /v1/hosts/resume',
        'post /v1/hosts/revoke',
        'post /v1/requesters/{id}/pause',
        'post /v1/requesters/{id}/resume',
        'post /v1/requesters/{id}/revoke',
        'post /v1/sessions/{id}/nudge',
        'post /v1/sessions/{id}/send',
        'post /v1/sign-in/passkey',
        'post /v1/sign-in/passkey/request',
        'post /v1/sign-in/recovery-code',
        'post /v1/sign-ins/end-others',
        'post /v1/sign-ins/{id}/end',
        'get /v1/orders',
        'get /v1/plans/{id}',
        'get /v1/running',
        'get /v1/running/{requesterId}/{id}/screen',
        'post /v1/orders/{id}/answer',
        'post /v1/approver-lists/next',
        'post /v1/people/{id}',
        'post /v1/plans',
        'post /v1/plans/{id}/done',
        'post /v1/running/{requesterId}/{id}/{act}',
      ].toSorted(),
    );
    expect(Object.keys(body.paths['/v1/requests']?.['post']?.responses ?? {})).toEqual(['200', '202', '4XX', '5XX']);
  });
});

describe('every answer', () => {
  it('has the version of the API, the time, and the headers on caching and security', async () => {
    for (const path of ['/v1/server', '/v1/grants', '/nothing', '/']) {
      const { headers } = await server.call('GET', path);
      expect(headers.get('ape-api')).toBe('1');
      expect(Math.abs(Number(headers.get('x-ape-time')) - server.nowMs())).toBeLessThan(5_000);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
    }
  });
});
