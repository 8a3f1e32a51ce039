/** What all calls of the API have in common: errors as in RFC 9457, ETags of answers, cursors of lists. */
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorBody, ErrorBodySchema } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { guardOf } from '../../src/server/http/validation.ts';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Person;
beforeAll(async () => {
  server = await TestServer.start();
  agent = await server.requester();
});
afterAll(() => server.stop());

const isProblem = guardOf(ErrorBodySchema);

describe('an error', () => {
  it.each([
    ['POST', '/v1/requests?x=1', { nothing: true }, 400],
    ['GET', '/v1/grants/g_none', undefined, 404],
    ['GET', '/v1/people', undefined, 403],
    ['GET', '/v1/no-such-route', undefined, 404],
    ['POST', '/v1/reports', 'not json', 400],
    ['POST', '/v1/reports', `"${'x'.repeat(70_000)}"`, 413],
  ])(
    'of %s %s has the form of RFC 9457, and still has the members of earlier versions',
    async (method, path, body, status) => {
      const answer = await server.call<ErrorBody>(method, path, agent.headers, body);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(isProblem(answer.body)).toBe(true);
      const { error, status: inBody, detail, instance, type } = answer.body;
      expect([inBody, detail, instance]).toEqual([status, error.message, path.split('?')[0]]);
      const kind = await server.call('GET', type);
      expect(kind.body).toMatchObject({ type, title: answer.body.title });
    },
  );

  it('has a type for every code, with an address of its own', async () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      const kind = await server.call('GET', `/v1/problems/${code}`);
      expect([kind.status, kind.body]).toMatchObject([200, { type: `/v1/problems/${code}`, status }]);
    }
    for (const code of ['nothing', 'toString', '__proto__', 'constructor'])
      expect((await server.call('GET', `/v1/problems/${code}`)).status, code).toBe(404);
  });

  it('does not repeat a secret from the address', async () => {
    const text = await new Promise<string>((resolve) => {
      get(`${server.url}/sign-in/very-secret`, { headers: { host: 'elsewhere.example' } }, async (answer) => {
        let body = '';
        for await (const chunk of answer) body += String(chunk);
        resolve(body);
      });
    });
    expect(text).toContain('request.malformed');
    expect(text).not.toContain('very-secret');
  });
});

describe('an answer to a GET', () => {
  it('has an ETag, which saves sending its body again until it changes', async () => {
    const grant = await server.pending(agent, 'tagged');
    const owner = await server.owner();
    for (const path of [`/v1/grants/${grant.id}`, '/v1/grants?state=pending', '/v1/whoami']) {
      const first = await server.call('GET', path, owner);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[\w-]{22}"$/);
      for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const same = await server.call('GET', path, { ...owner, 'if-none-match': sent });
        expect([path, same.status, same.body, same.headers.get('etag')]).toEqual([path, 304, '', tag]);
      }
      expect((await server.call('GET', path, { ...owner, 'if-none-match': '"other"' })).status).toBe(200);
    }
    const path = `/v1/grants/${grant.id}`;
    const tag = (await server.call('GET', path, owner)).headers.get('etag') ?? '';
    await server.decide(owner, grant.id, 'deny', { version: 1 });
    expect((await server.call<GrantView>('GET', path, { ...owner, 'if-none-match': tag })).body.state).toBe('denied');
  });

  it('is sent to no caller that has its ETag without the right to read it', async () => {
    const grant = await server.pending(agent, 'secret');
    const path = `/v1/grants/${grant.id}`;
    const tag = (await server.call('GET', path, agent.headers)).headers.get('etag') ?? '';
    const other = await server.requester('other', 'box2');
    expect((await server.call('GET', path, { 'if-none-match': tag })).status).toBe(401);
    expect((await server.call('GET', path, { ...other.headers, 'if-none-match': '*' })).status).toBe(403);
  });
});

describe('a list', () => {
  it('is read to its end by cursors, with each row once, also within one millisecond', async () => {
    const nowMs = Date.now();
    const still = await TestServer.start({ clock: () => nowMs });
    const asker = await still.requester();
    const filed: string[] = [];
    for (let count = 0; count < 11; count += 1) filed.push((await still.pending(asker, `n${count}`)).id);
    for (const limit of [1, 3, 11]) {
      const seen: string[] = [];
      let next: string | null | undefined = null;
      do {
        const cursor: string = next === null ? '' : `&cursor=${next}`;
        const page = await still.call<{ grants: GrantView[]; next: string | null }>(
          'GET',
          `/v1/grants?limit=${limit}${cursor}`,
          asker.headers,
        );
        seen.push(...page.body.grants.map(({ id }) => id));
        next = page.body.next;
      } while (next !== null && next !== undefined);
      expect(seen.toSorted()).toEqual(filed.toSorted());
    }
    const owner = await still.owner();
    const events: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { body: { events: { seq: number }[]; next: number | null } } = await still.call(
        'GET',
        `/v1/audit?limit=5&after=${after}`,
        owner,
      );
      events.push(...page.body.events.map(({ seq }) => seq));
      after = page.body.next;
    }
    expect(events).toEqual(events.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThan(11);
    for (const wrong of [
      'cursor=x',
      'cursor=1.a&before=1',
      'cursor=1.a&beforeId=a',
      'cursor=1.a&order=turns&state=pending',
      'kind=plan&order=turns&state=pending',
      'beforeId=a&order=turns&state=pending',
    ])
      expect((await still.call('GET', `/v1/grants?${wrong}`, owner)).status, wrong).toBe(400);
    await still.stop();
  });
});
