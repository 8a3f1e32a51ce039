/** The holder of a stolen or forged key gains nothing by a rotation, and an impostor of the server cannot make a host lose its key. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_VERSION } from '../../src/core/api-protocol.ts';
import { enrolApproverKey, enrolRequester } from '../../src/server/identity/administration.ts';
import type { Store } from '../../src/store/store.ts';
import { ownerWithDevice } from '../component/passkey-person.ts';
import { pemOf, RotatingHost, requesterWithKey, rotationBody, sendRotation } from '../component/rotating-host.ts';
import { newKey, TestServer } from '../component/server-fixture.ts';

let server: TestServer;
let nowMs: number;
let agent: Awaited<ReturnType<typeof requesterWithKey>>;
beforeEach(async () => {
  nowMs = Date.now();
  server = await TestServer.start({ clock: () => nowMs });
  agent = await requesterWithKey(server);
});
afterEach(() => server.stop());

const keyNow = async () => {
  const found = await server.running.store.read((rows) => rows.subject(agent.id));
  return found.ok ? found.value?.publicKey : undefined;
};
const rotate = async (more: Partial<Parameters<typeof rotationBody>[1]> = {}) =>
  sendRotation(server, await rotationBody(server, { subjectId: agent.id, old: agent, ...more }));

describe('a stolen old key, after the rotation', () => {
  let next: ReturnType<typeof newKey>;
  beforeEach(async () => {
    next = newKey();
    expect((await rotate({ next })).status).toBe(200);
  });

  it('opens nothing: no token, no rotation, no enrolment', async () => {
    expect((await server.token(agent.id, agent.privateKey)).body).toMatchObject({ error: { code: 'auth.replaced' } });
    expect((await server.ask(agent, 'ls')).status).toBe(401);
    expect((await rotate()).body).toMatchObject({ error: { code: 'auth.replaced' } });
    const who = { name: 'agent', host: 'box', user: 'agent', publicKey: agent.publicKey };
    expect((await server.asksForEnrolment(who)).body.error.message).toContain('this key was replaced');
    expect((await enrolRequester(server.running.store, who)).ok).toBe(false);
    expect((await enrolApproverKey(server.running.store, { name: 'x', publicKey: agent.publicKey })).ok).toBe(false);
    expect(await keyNow()).toBe(next.publicKey);
  });

  it('cannot become the key again, and cannot repeat the rotation to get a token', async () => {
    const back = { subjectId: agent.id, old: next, next: { privateKey: agent.privateKey, publicKey: agent.publicKey } };
    expect((await sendRotation(server, await rotationBody(server, back))).status).toBe(400);
    // The rotation needs a signature of the new private key too, which the holder of the old key does not have.
    expect((await rotate({ next, nextSigner: agent.privateKey })).status).toBe(401);
    expect(await keyNow()).toBe(next.publicKey);
  });

  it('is reported as replaced only to a client that proves that it has the old key', async () => {
    expect((await server.token(agent.id, newKey().privateKey)).body).toMatchObject({ error: { code: 'auth.unknown' } });
  });

  it('does not undo a later rotation: the rotation from the old key cannot be repeated after the key has changed again', async () => {
    const third = newKey();
    expect((await rotate({ old: next, next: third })).status).toBe(200);
    expect((await rotate({ next })).body).toMatchObject({ error: { code: 'auth.replaced' } });
    expect(await keyNow()).toBe(third.publicKey);
  });
});

describe('a rotation', () => {
  it('cannot be sent a second time, or after a minute', async () => {
    const body = await rotationBody(server, { subjectId: agent.id, old: agent });
    expect((await sendRotation(server, body)).status).toBe(200);
    expect((await sendRotation(server, body)).body).toMatchObject({ error: { code: 'auth.unknown' } });
    const other = await requesterWithKey(server, 'other');
    const late = await rotationBody(server, { subjectId: other.id, old: other });
    nowMs += 61_000;
    expect((await sendRotation(server, late)).status).toBe(401);
  });

  it('needs the signatures of both keys, and accepts no other key', async () => {
    const other = await requesterWithKey(server, 'other', 'elsewhere');
    const before = await keyNow();
    const forged = [
      await rotate({ oldSigner: other.privateKey }),
      await rotate({ oldSigner: newKey().privateKey }),
      await rotate({ nextSigner: agent.privateKey }),
      await rotate({ old: other }), // its own key, for this requester
      await rotate({ subjectId: other.id }), // the key of this requester, for another one
    ];
    expect(forged.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await keyNow()).toBe(before);
  });

  it('refuses a key of another subject, a key of small order (every host could sign with it), and the old key', async () => {
    const other = await requesterWithKey(server, 'other');
    const approver = await server.approverKey();
    const approverKey = await server.running.store.read((rows) => rows.subject(approver.id));
    const held = (approverKey.ok ? approverKey.value?.publicKey : '') ?? '';
    const before = await keyNow();
    expect((await rotate({ next: other })).status).toBe(400);
    expect((await rotate({ next: { privateKey: approver.privateKey, publicKey: held } })).status).toBe(400);
    expect((await rotate({ next: agent })).status).toBe(400);
    const small = Buffer.alloc(32);
    small[0] = 1;
    expect((await rotate({ next: { ...newKey(), publicKey: small.toString('base64url') } })).status).toBe(400);
    expect(await keyNow()).toBe(before);
  });

  it('is refused for revoked requesters, and for the key of an approver', async () => {
    const owner = await server.owner();
    await server.call('POST', `/v1/requesters/${agent.id}/revoke`, owner);
    expect((await rotate()).status).toBe(401);
    const approver = await server.approverKey();
    const found = await server.running.store.read((rows) => rows.subject(approver.id));
    const publicKey = (found.ok ? found.value?.publicKey : '') ?? '';
    const old = { privateKey: approver.privateKey, publicKey };
    expect((await rotate({ subjectId: approver.id, old })).status).toBe(401);
  });

  it('ends every token of the old key, also one that is requested at the same moment', async () => {
    const body = await rotationBody(server, { subjectId: agent.id, old: agent });
    const proof = await server.signInBody(agent.id, agent.privateKey);
    // The server has checked the key of the sign-in, and its answer to the sign-in comes only after the rotation.
    const slow = server.running.store as { read: Store['read'] };
    const { read } = slow;
    let hasLooked = (): void => undefined;
    const looked = new Promise<void>((resolve) => {
      hasLooked = resolve;
    });
    let goOn = (): void => undefined;
    const rotatedThen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    slow.read = async (work) => {
      const found = await read.call(slow, work);
      hasLooked();
      await rotatedThen;
      return found as never;
    };
    const asked = server.call('POST', '/v1/auth/token', {}, proof);
    await looked;
    slow.read = read;
    expect((await sendRotation(server, body)).status).toBe(200);
    goOn();
    expect((await asked).body).toMatchObject({ error: { code: 'auth.unknown' } });
  });
});

describe('who may ask for a new key', () => {
  const ask = (headers: Readonly<Record<string, string>>, body: object = {}) =>
    server.call<{ error: { code: string; passkey?: never } }>(
      'POST',
      `/v1/requesters/${agent.id}/rotate`,
      headers,
      body,
    );

  it('is only an approver without limits', async () => {
    const limits = { requesters: [agent.id], hosts: null, upTo: 'critical' as const };
    for (const each of [
      agent.headers,
      (await requesterWithKey(server, 'other')).headers,
      (await server.person('Audrey', 'auditor')).headers,
      (await server.person('Grace', 'approver', limits)).headers,
    ])
      expect((await ask(each)).body.error.code).toBe('auth.forbidden');
    const asked = await server.running.store.read((rows) => rows.keys.keyRequests());
    expect(asked.ok && asked.value).toEqual([]);
    expect((await ask((await server.person('Ada')).headers)).status).toBe(204);
  });

  it('confirms the request with a passkey if the session is not fresh', async () => {
    const { device, headers } = await ownerWithDevice(server);
    nowMs += 11 * 60_000;
    const first = await ask(headers);
    expect(first.body.error.code).toBe('passkey.needed');
    const assertion = device.get(first.body.error.passkey ?? (null as never));
    const other = await requesterWithKey(server, 'other');
    const elsewhere = `/v1/requesters/${other.id}/rotate`;
    expect((await server.call('POST', elsewhere, headers, { assertion })).status).toBe(403);
    const again = await ask(headers);
    const signed = device.get(again.body.error.passkey ?? (null as never));
    expect((await ask(headers, { assertion: signed })).status).toBe(204);
  });
});

describe('an impostor of the server', () => {
  let impostor: Server;
  const paths: string[] = [];
  beforeEach(async () => {
    const answers: Readonly<Record<string, object>> = {
      '/v1/auth/challenge': { challenge: 'A'.repeat(43), expiresAtMs: Date.now() + 60_000 },
      '/v1/auth/token': { token: 'B'.repeat(43), expiresAtMs: Date.now() + 60_000, rotate: true },
      '/v1/auth/rotate': { token: 'C'.repeat(43), expiresAtMs: Date.now() + 60_000, proof: `${'A'.repeat(85)}A` },
      '/v1/whoami': { subjectId: agent.id },
    };
    impostor = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json', 'ape-api': String(API_VERSION) });
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => impostor.close());

  it('cannot make a host forget its key', async () => {
    const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
    const host = await RotatingHost.of(server, agent, url);
    await host.whoami();
    expect(paths).toContain('/v1/auth/rotate');
    const rotated = await host.rotate();
    expect(rotated.ok === false && rotated.failure.message).toContain('not signed by the enrolled server');
    expect(host.key).toBe(pemOf(agent.privateKey));
    const real = { ...host.client, server: { ...host.client.server, url: server.url } };
    expect(await host.whoami(real)).toBe(200);
  });
});
