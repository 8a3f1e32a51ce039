/** A `once` grant is used once, and a decision is made once: over HTTP, on several servers with one database, and if a server is killed meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { nonce, type Person, requestFor, TestServer } from '../component/server-fixture.ts';

describe('a once grant', () => {
  let first: TestServer;
  let second: TestServer;
  let agent: Person;
  let owner: Readonly<Record<string, string>>;
  beforeAll(async () => {
    first = await TestServer.start();
    second = await TestServer.start({ directory: first.directory });
    agent = await first.requester();
    owner = await first.owner();
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });
  let count = 0;
  const approvedOnce = async () => {
    count += 1;
    const text = `run ${count}`;
    const grant = await first.pending(agent, text);
    await first.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    return { grant, text };
  };

  it('permits exactly one use, in whatever way and on whichever servers it is asked for at the same moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ onSecond: fc.boolean(), redeems: fc.boolean() }), { minLength: 2, maxLength: 12 }),
        async (tries) => {
          const { grant, text } = await approvedOnce();
          const permits = await Promise.all(
            tries.map(async ({ onSecond, redeems }) => {
              const server = onSecond ? second : first;
              if (redeems) return (await server.redeem(agent, grant)).status === 200;
              return (await server.ask(agent, text)).status === 200;
            }),
          );
          expect(permits.filter(Boolean)).toHaveLength(1);
          const stored = await first.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
          expect([stored.body.state, stored.body.uses]).toEqual(['used', 1]);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is spent before its permit leaves the server, so a lost answer never becomes two uses', async () => {
    const { grant } = await approvedOnce();
    const body = { request: grant.request, nonce: nonce() };
    const lost = new AbortController();
    const asked = fetch(`${first.url}/v1/requests`, {
      method: 'POST',
      headers: { ...agent.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: lost.signal,
    });
    setTimeout(() => lost.abort(), 3);
    await asked.catch(() => {});
    await sleep(100);
    const uses = [(await first.ask(agent, grant.request.text)).status, (await second.redeem(agent, grant)).status];
    const stored = await first.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
    expect(stored.body.uses).toBe(1);
    expect(uses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('is not used up while a standing grant covers the same request', async () => {
    const reads = (path: string) => ({
      kind: 'file' as const,
      files: [
        { verb: 'read' as const, path, askedPath: path, digest: null, resultDigest: null, bytes: null, danger: null },
      ],
    });
    const [once, standing] = [
      await first.pending(agent, 'Read /d/a', reads('/d/a')),
      await first.pending(agent, 'Read /d/b', reads('/d/b')),
    ];
    const scope = { operations: ['read'], pathPrefix: '/d' };
    await first.decide(owner, once.id, 'approve', { version: 1, term: { kind: 'once' } });
    await first.decide(owner, standing.id, 'approve', { version: 1, term: { kind: 'always' }, scope });
    const asked = async (server: TestServer) => (await server.ask(agent, 'Read /d/a', reads('/d/a'))).status;
    const stateAndUses = async (id: string) => {
      const { body } = await first.call<GrantView>('GET', `/v1/grants/${id}`, agent.headers);
      return [body.state, body.uses];
    };
    for (const server of [first, second, first]) expect(await asked(server)).toBe(200);
    expect(await stateAndUses(standing.id)).toEqual(['approved', 3]);
    expect(await stateAndUses(once.id)).toEqual(['approved', 0]);
    // Without the standing grant the same request uses the once grant.
    await first.decide(owner, standing.id, 'revoke', { version: 2 });
    expect(await asked(second)).toBe(200);
    expect(await stateAndUses(once.id)).toEqual(['used', 1]);
  });

  it('permits no other text, and not its text for another requester', async () => {
    const { grant, text } = await approvedOnce();
    const stranger = await first.requester('stranger');
    expect((await first.ask(stranger, text)).status).toBe(202);
    expect((await first.redeem(stranger, grant)).status).toBe(403);
    expect((await first.ask(agent, `${text} `)).status).toBe(202);
    const other = await first.call<AskAnswer>('POST', '/v1/requests', agent.headers, {
      request: requestFor(text, { cwd: '/' }),
      nonce: nonce(),
      findings: null,
    });
    expect(other.status).toBe(202);
    expect((await first.redeem(agent, grant)).status).toBe(200);
  });
});
