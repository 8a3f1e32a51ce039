/** A host replaces its key, by itself or because an approver asks it to. The requester and all that belongs to it stay as before. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newPrivateKey } from '../../src/platform/key-pair.ts';
import { STREAM_BEAT_MS } from '../../src/server/http/event-stream.ts';
import { readEvents } from './event-reader.ts';
import { mustBeUpgraded, upgrade } from './framed-connection.ts';
import { pemOf, RotatingHost, requesterWithKey, rotationBody, sendRotation } from './rotating-host.ts';
import { newKey, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Awaited<ReturnType<typeof requesterWithKey>>;
let owner: Readonly<Record<string, string>>;
let host: RotatingHost;
beforeEach(async () => {
  server = await TestServer.start();
  agent = await requesterWithKey(server);
  owner = await server.owner();
  host = await RotatingHost.of(server, agent);
});
afterEach(() => server.stop());

const ask = (headers = owner, id = agent.id) =>
  server.call<{ error: { code: string } }>('POST', `/v1/requesters/${id}/rotate`, headers, {});
const page = async (): Promise<string> => (await server.call<string>('GET', '/requesters', owner)).body;
const ALWAYS = { version: 1, term: { kind: 'always' } };
/** Returns the agent with the token that its host has now. */
const now = async (privateKey = host.key) => {
  const { createPrivateKey } = await import('node:crypto');
  return server.signedIn(agent.id, createPrivateKey(privateKey));
};

describe('a requester that an approver asks for a new key', () => {
  it('gets one at the next call of its host; the page says whether the key is awaited or replaced', async () => {
    expect(await host.whoami()).toBe(200);
    const before = host.key;
    expect((await ask()).status).toBe(204);
    expect(await page()).toContain('Asked for a new key');
    expect(await host.whoami()).toBe(200);
    expect(host.key).not.toBe(before);
    const after = await page();
    expect(after).not.toContain('Asked for a new key');
    expect(after).toContain('new since');
    expect(await host.whoami(host.another())).toBe(200);
  });

  it('keeps its waiting requests, approvals and standing grants', async () => {
    const standing = await server.pending(agent, 'date');
    const once = await server.pending(agent, 'uptime');
    const waiting = await server.pending(agent, 'ls');
    await server.decide(owner, standing.id, 'approve', ALWAYS);
    await server.decide(owner, once.id, 'approve', { version: 1, term: { kind: 'once' } });
    await ask();
    await host.whoami();
    const renewed = await now();
    expect((await server.ask(renewed, 'date')).status).toBe(200);
    expect((await server.redeem(renewed, once)).status).toBe(200);
    expect((await server.decide(owner, waiting.id, 'approve', ALWAYS)).status).toBe(200);
    expect((await server.redeem(renewed, waiting)).status).toBe(200);
  });

  it('gets the key later if its host is away, also if the server was restarted meanwhile', async () => {
    await ask();
    await ask();
    expect(await page()).toContain('Asked for a new key');
    expect((await server.token(agent.id, agent.privateKey)).body).toMatchObject({ rotate: true });
    expect(await host.whoami()).toBe(200);
    expect((await server.token(agent.id, agent.privateKey)).body).toMatchObject({ error: { code: 'auth.replaced' } });
    const renewed = await server.call<{ challenge: string }>('POST', '/v1/auth/challenge', {}, { subjectId: agent.id });
    expect(renewed.status).toBe(200);
  });

  it('may be paused: its key is replaced, and it stays paused', async () => {
    await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {});
    await ask();
    const before = host.key;
    await host.whoami();
    expect(host.key).not.toBe(before);
    expect((await server.ask(await now(), 'ls')).body).toMatchObject({ error: { code: 'requester.paused' } });
  });

  it('keeps its old key if the new key cannot be stored', async () => {
    await ask();
    writeFileSync(join(host.keys, 'requester.next.key'), 'no key', { mode: 0o600 });
    const before = host.key;
    expect(await host.whoami()).toBe(200);
    expect(host.key).toBe(before);
    expect(await page()).toContain('Asked for a new key');
  });

  it('has to be known and not revoked', async () => {
    expect((await ask(owner, 's_none')).status).toBe(404);
    expect((await ask(owner, 's_owner')).status).toBe(404);
    await server.call('POST', `/v1/requesters/${agent.id}/revoke`, owner);
    expect((await ask()).status).toBe(404);
  });
});

describe('a stream, a connection or a token that the old key had opened', () => {
  it('ends at the rotation, not at the next beat', async () => {
    const stream = await readEvents(`${server.url}/v1/orders`, agent.headers);
    const line = mustBeUpgraded(await upgrade(server.url, agent.headers));
    const other = await requesterWithKey(server, 'other');
    const otherLine = mustBeUpgraded(await upgrade(server.url, other.headers));
    expect((await host.rotate()).ok).toBe(true);
    const startMs = performance.now();
    await Promise.all([stream.ended, line.ended]);
    expect(performance.now() - startMs).toBeLessThan(STREAM_BEAT_MS);
    expect((await server.ask(agent, 'ls')).status).toBe(401);
    expect(otherLine.socket.destroyed).toBe(false);
    otherLine.socket.destroy();
  });

  it('ends too if the requester is revoked', async () => {
    const line = mustBeUpgraded(await upgrade(server.url, agent.headers));
    await server.call('POST', `/v1/requesters/${agent.id}/revoke`, owner);
    await line.ended;
  });

  it('is opened anew by a running process of the host that has only the old key in memory', async () => {
    expect(await host.whoami()).toBe(200);
    const running = host.client;
    expect((await host.rotate()).ok).toBe(true);
    expect(await host.whoami(running)).toBe(200);
  });
});

describe('a rotation that is interrupted', () => {
  const next = newPrivateKey();
  const begin = () => writeFileSync(join(host.keys, 'requester.next.key'), next, { mode: 0o600 });
  const nextPair = async () => {
    const { createPrivateKey } = await import('node:crypto');
    const { publicKeyOf } = await import('../../src/platform/key-pair.ts');
    return { privateKey: createPrivateKey(next), publicKey: publicKeyOf(next) ?? '' };
  };

  it('before the server has the new key leaves the old key valid, and the next attempt takes the same new key', async () => {
    begin();
    expect(await host.whoami()).toBe(200);
    expect(host.key).toBe(pemOf(agent.privateKey));
    expect((await host.rotate()).ok).toBe(true);
    expect(host.key).toBe(next);
    expect(existsSync(join(host.keys, 'requester.next.key'))).toBe(false);
  });

  it('after the server has the new key, and before the host knows, is completed by the next call of the host', async () => {
    begin();
    const body = await rotationBody(server, { subjectId: agent.id, old: agent, next: await nextPair() });
    expect((await sendRotation(server, body)).status).toBe(200);
    expect(host.key).toBe(pemOf(agent.privateKey));
    expect(await host.whoami()).toBe(200);
    expect(host.key).toBe(next);
    const record = await server.call<{ events: { kind: string }[] }>('GET', '/v1/audit?limit=1000', owner);
    expect(record.body.events.filter(({ kind }) => kind === 'key.replaced')).toHaveLength(1);
  });
});

describe('rotations at the same time', () => {
  it('by many processes of one host end with one new key that all of them use', async () => {
    await ask();
    const clients = Array.from({ length: 6 }, () => host.another());
    expect(await Promise.all(clients.map((each) => host.whoami(each)))).toEqual(clients.map(() => 200));
    expect(host.key).not.toBe(pemOf(agent.privateKey));
    expect(await host.whoami(host.another())).toBe(200);
  });

  it('by two copies of a host: one succeeds, and the other gets a failure that says what to do', async () => {
    const copy = await RotatingHost.of(server, agent);
    const both = await Promise.all([host.rotate(), copy.rotate()]);
    expect(both.filter((each) => each.ok)).toHaveLength(1);
    const loser = both[0]?.ok === true ? copy : host;
    expect(await loser.whoami()).toMatch(
      /^auth\.replaced the grant server refuses the key of this host: this key was replaced/,
    );
    const failed = both.find((each) => !each.ok);
    expect(failed?.ok === false && failed.failure.advice).toContain('tell your approver');
  });

  it('with the same pair of keys, as after a lost answer, all succeed', async () => {
    const next = newKey();
    const bodies = await Promise.all(
      [0, 1, 2].map(() => rotationBody(server, { subjectId: agent.id, old: agent, next })),
    );
    const answers = await Promise.all(bodies.map((body) => sendRotation(server, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = await server.signedIn(agent.id, next.privateKey);
    expect((await server.ask(again, 'ls')).status).toBe(202);
  });
});
