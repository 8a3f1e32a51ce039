/** The persistent connection of an interactive shell to the server gives the same answers as HTTP, and allows no more. */
import { mkdtempSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import type { ConnectionAnswer } from '../../src/core/wire/connection.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { askGrant, type GrantClient } from '../../src/grants/client.ts';
import { PersistentConnection } from '../../src/grants/persistent-connection.ts';
import { reportEvent } from '../../src/grants/report.ts';
import { newKeyShare, transcriptOf } from '../../src/platform/connection-key.ts';
import { FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { fingerprintOf } from '../../src/platform/surroundings.ts';
import { revokeSubject } from '../../src/server/identity/administration.ts';
import { newServerKey } from '../../src/server/identity/server-key.ts';
import { clientOf } from './file-stage.ts';
import { mustBeUpgraded, upgrade } from './framed-connection.ts';
import { nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Person;
let nowMs: number;
const tokenOf = (person: Person) => person.headers['authorization']?.replace('Bearer ', '') ?? '';
const keep = async (person = agent) => mustBeUpgraded(await upgrade(server.url, person.headers));
const askBody = (text: string) => ({ request: requestFor(text), nonce: nonce(), findings: null });
const grantIn = (answer: ConnectionAnswer | null): GrantView => {
  if (answer === null) throw new Error('no answer');
  const { grant } = answer.body as { grant: GrantView };
  return grant;
};
const codeOf = (body: unknown) => (body as ErrorBody).error.code;

beforeEach(async () => {
  nowMs = Date.now();
  server = await TestServer.start({ clock: () => nowMs });
  agent = await server.requester();
});
afterEach(() => server.stop());

describe('at the server', () => {
  it('answers a request as HTTP does: filed, found again, used and recorded', async () => {
    const line = await keep();
    const filed = await line.call('ask', tokenOf(agent), askBody('make'));
    expect([filed?.status, filed?.body]).toEqual([202, expect.objectContaining({ outcome: 'pending', filed: true })]);
    const grant = grantIn(filed);
    expect((await server.ask(agent, 'make')).body).toMatchObject({ filed: false, grant: { id: grant.id } });
    const owner = await server.owner();
    await server.decide(owner, grant.id, 'approve', { version: grant.version, term: { kind: 'once' } });
    const used = await line.call('ask', tokenOf(agent), askBody('make'));
    expect([used?.status, used?.body]).toEqual([200, { outcome: 'permitted', permit: expect.any(String) }]);
    expect((await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers)).body.state).toBe('used');
    const answer = await line.call('report', tokenOf(agent), { event: 'line.finished', sessionId: 's_1', status: 0 });
    expect(answer).toEqual({ id: expect.any(Number), status: 204 });
    const { store } = server.running;
    const events = await store.read(async (rows) => rows.events(0, 100));
    expect(events.ok && events.value.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['grant.used', 'line.finished']),
    );
    line.socket.destroy();
  });

  it('refuses what HTTP refuses, in the same words', async () => {
    const line = await keep();
    const bodies = [
      { request: { ...requestFor('x'), host: 'another' }, nonce: nonce() },
      { request: requestFor('x') },
      { ...askBody('x'), extra: 1 },
      null,
    ];
    for (const body of bodies) {
      const kept = await line.call('ask', tokenOf(agent), body);
      const over = await server.call('POST', '/v1/requests', agent.headers, body ?? 'null');
      expect([kept?.status, kept?.body]).toEqual([400, over.body]);
    }
    line.socket.destroy();
  });

  it('is only for a requester, and only with a valid token', async () => {
    const approver = await server.approverKey();
    expect(await upgrade(server.url, {})).toMatchObject({ status: 401 });
    expect(await upgrade(server.url, { authorization: `Bearer ${'x'.repeat(43)}` })).toMatchObject({ status: 401 });
    expect(await upgrade(server.url, approver.headers)).toMatchObject({ status: 403 });
    const line = await keep();
    const answer = await line.call('ask', tokenOf(approver), askBody('x'));
    expect([answer?.status, codeOf(answer?.body)]).toEqual([403, 'auth.forbidden']);
    line.socket.destroy();
  });

  it('checks the token at every call: a revoked or expired token is refused and ends the connection', async () => {
    const line = await keep();
    expect((await line.call('ask', tokenOf(agent), askBody('before')))?.status).toBe(202);
    expect((await revokeSubject(server.running.store, agent.id, { nowMs })).ok).toBe(true);
    const after = await line.call('ask', tokenOf(agent), askBody('after'));
    expect([after?.status, codeOf(after?.body)]).toEqual([401, 'auth.expired']);
    await line.ended;
    const other = await server.requester('other', 'box2');
    const second = await keep(other);
    nowMs += 16 * 60_000;
    expect((await second.call('report', tokenOf(other), { event: 'line.finished', sessionId: 's' }))?.status).toBe(401);
    await second.ended;
  });

  it('still answers a call that was being answered when the requester was revoked, and then ends the connection', async () => {
    const approver = await server.approverKey();
    const [called, silent] = [await keep(), await keep()];
    const revoked = await server.call('POST', `/v1/requesters/${agent.id}/revoke`, approver.headers, {});
    expect(revoked.status).toBe(204);
    const after = await called.call('ask', tokenOf(agent), askBody('after'));
    expect([after?.status, codeOf(after?.body)]).toEqual([401, 'auth.expired']);
    expect((await called.call('ask', tokenOf(agent), askBody('sent before the answer was read')))?.status).toBe(401);
    await Promise.all([called.ended, silent.ended]);
  });

  it('accepts two kinds of calls, and closes the connection at any other bytes', async () => {
    const approve = { id: 1, call: 'approve', token: tokenOf(agent), body: {} };
    const tooLong = Buffer.alloc(5);
    tooLong.writeUInt32BE(100_000_000, 1);
    for (const bytes of [encodeFrame('q', JSON.stringify(approve)), encodeFrame('q', 'no JSON'), tooLong]) {
      const line = await keep();
      line.socket.write(bytes);
      await line.ended;
    }
    expect((await server.ask(agent, 'and the server goes on')).status).toBe(202);
  });

  it('accepts a request of a megabyte, and many at once, each with its own answer', async () => {
    const line = await keep();
    const text = 'x'.repeat(1_000_000);
    const texts = [text, ...Array.from({ length: 80 }, (_, index) => `echo ${index}`)];
    const answers = await Promise.all(texts.map((each) => line.call('ask', tokenOf(agent), askBody(each))));
    const asked = answers.map((answer) => grantIn(answer).request.text);
    expect(asked).toEqual(texts);
    line.socket.destroy();
  });

  it('answers other upgrades with an ordinary HTTP answer', async () => {
    const ordinary = await upgrade(server.url, {}, { path: '/v1/server', to: 'h2c' });
    expect(ordinary).toMatchObject({ status: 200, body: expect.stringContaining('"product":"ape-shell"') });
    expect(await upgrade(server.url, agent.headers, { to: 'websocket' })).toMatchObject({ status: 400 });
    expect(await upgrade(server.url, agent.headers, { method: 'POST', path: '/v1/requests' })).toMatchObject({
      status: 400,
    });
    const plain = await server.call<ErrorBody>('GET', '/v1/connection', agent.headers);
    expect([plain.status, plain.body.error.code]).toEqual([400, 'request.malformed']);
    expect(await upgrade(server.url, { ...agent.headers, host: 'evil.example' })).toMatchObject({ status: 400 });
    for (const share of ['', 'x', 'A'.repeat(43), `${newKeyShare().publicKey}=`])
      expect(await upgrade(server.url, agent.headers, { share })).toMatchObject({ status: 400 });
  });

  it('ends with the server, and does not delay its stop', async () => {
    const line = await keep();
    const begin = performance.now();
    await server.running.stop();
    await line.ended;
    expect(performance.now() - begin).toBeLessThan(3_000);
  });
});

describe('at the host', () => {
  let directory: string;
  let client: GrantClient & { readonly kept: PersistentConnection };
  const ask = (text: string) => {
    const request = requestFor(text);
    return askGrant(client, request, fingerprintOf(request), { findings: null });
  };
  const isOpen = async () => {
    for (let waited = 0; !client.kept.isOpen; waited += 20) {
      if (waited > 30_000) throw new Error('no connection was opened');
      await sleep(20);
    }
  };
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ape-kept-'));
    const plain = await clientOf(server, agent, directory);
    client = { ...plain, kept: new PersistentConnection(plain.server, plain.identity) };
  });
  afterEach(() => {
    client.kept.close();
    removeDirectory(directory);
  });

  it.each([0, 300])('is not opened any more after it is closed %i ms after the first call', async (ms) => {
    await ask('first');
    await sleep(ms);
    client.kept.close();
    await sleep(1_000);
    expect(client.kept.isOpen).toBe(false);
    await ask('first');
    await isOpen();
  });

  it('uses HTTP first, and the connection from then on', async () => {
    expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
    await isOpen();
    expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: false } });
    expect(await ask('second')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
    expect(await reportEvent(client, { event: 'line.finished', sessionId: 's_1', status: 3 })).toBeNull();
    expect(client.kept.isOpen).toBe(true);
  });

  it('gets permits that are sealed for this connection only', async () => {
    const asked = await ask('make');
    if (!asked.ok || asked.value.kind !== 'pending') throw new Error('not filed');
    const { id, version } = asked.value.grant;
    await server.decide(await server.owner(), id, 'approve', { version, term: { kind: 'always' } });
    await isOpen();
    expect(await ask('make')).toMatchObject({ ok: true, value: { kind: 'permitted', payload: { grantId: id } } });
    expect(client.kept.isOpen).toBe(true);
    const line = await keep();
    const answer = await line.call('ask', tokenOf(agent), askBody('make'));
    const { permit } = (answer?.body ?? {}) as { permit?: string };
    expect(JSON.parse(Buffer.from(permit?.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'HS256',
    });
    line.socket.destroy();
  });

  it('fetches a new token if its token is refused, and continues', async () => {
    await ask('first');
    await isOpen();
    const { store } = server.running;
    nowMs += 3_600_000; // the server forgets every token; our own clock has not moved
    expect((await store.write((rows) => rows.prune(nowMs))).ok).toBe(true);
    expect(await ask('second')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: true } });
    await isOpen();
    expect(await ask('second')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: false } });
  });

  it('finds a server that came back, and says so if no server answers', async () => {
    await ask('first');
    await isOpen();
    const { port } = server.running;
    await server.running.stop();
    expect(await ask('while it is away')).toMatchObject({ ok: false, failure: { code: 'unavailable' } });
    const back = await TestServer.start({ directory: server.directory, port, clock: () => nowMs });
    try {
      expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: false } });
      await isOpen();
      expect(await ask('first')).toMatchObject({ ok: true, value: { kind: 'pending', isNew: false } });
    } finally {
      await back.running.stop();
    }
  });
});

describe('an impostor in place of the server', () => {
  let impostor: Server;
  let kept: PersistentConnection;
  let calls: number;
  const keyOfServer = newServerKey();
  const identity = { serverPublicKey: keyOfServer.publicKey, subjectId: 's_me' };
  /** The greeting of the enrolled server, unless an option changes it. @param sentShare a share to send in place of the server's own */
  const greeting = (asked: Buffer, { signer = keyOfServer, sentShare = '', subjectId = 's_me' } = {}) => {
    const clientShare = /ape-share: (\S+)/.exec(asked.toString())?.[1] ?? '';
    const serverShare = newKeyShare().publicKey;
    const transcript = transcriptOf({ ...identity, subjectId, clientShare, serverShare });
    const proof = signer.sign(Buffer.from(transcript)).toString('base64url');
    return `ape-share: ${sentShare === '' ? serverShare : sentShare}\r\nape-proof: ${proof}\r\n`;
  };
  const serve = (answer: (socket: Socket, id: number) => void, greet = (asked: Buffer) => greeting(asked)) =>
    new Promise<void>((resolve) => {
      calls = 0;
      impostor = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        socket.once('data', (asked: Buffer) => {
          const begin = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\nape-api: 1\r\n';
          socket.write(`${begin}${greet(asked)}\r\n`);
          const decoder = new FrameDecoder({ q: 1 << 20 });
          socket.on('data', (chunk: Buffer) => {
            for (const { payload } of decoder.take(chunk)) {
              calls += 1;
              answer(socket, (JSON.parse(payload.toString()) as { id: number }).id);
            }
          });
        });
      }).listen(0, '127.0.0.1', resolve);
    });
  const call = async (timeoutMs = 30_000, maxWaitMs = 30_000) => {
    const { port } = impostor.address() as { port: number };
    kept = new PersistentConnection({ url: `http://127.0.0.1:${port}`, timeoutMs, ca: null }, identity);
    const wanted = { method: 'POST' as const, path: '/v1/requests', token: 't', body: {} };
    for (let waited = 0; waited < maxWaitMs; waited += 20) {
      const answer = kept.call(wanted);
      if (answer !== null) return answer;
      await sleep(20);
    }
    throw new Error('no connection was opened');
  };
  afterEach(async () => {
    kept.close();
    await new Promise((resolve) => impostor.close(resolve));
  });

  it.each([
    ['hangs up', 'unavailable', (socket: Socket) => void socket.destroy()],
    ['sends nothing', 'unavailable', () => undefined],
    ['sends an answer that is no JSON', 'protocol', (socket: Socket) => void socket.write(encodeFrame('a', '{'))],
    ['sends JSON that is no answer', 'protocol', (socket: Socket) => void socket.write(encodeFrame('a', '[]'))],
    [
      'answers without end',
      'protocol',
      (socket: Socket) => {
        const head = encodeFrame('a');
        head.writeUInt32BE(0x7fffffff, 1);
        socket.write(head);
      },
    ],
  ])(
    'that %s: the call fails with the code %s, is sent once, and the connection is closed',
    async (_, code, answer) => {
      await serve(answer);
      expect(await call(code === 'unavailable' ? 3_000 : 30_000)).toMatchObject({ ok: false, failure: { code } });
      await expect.poll(() => kept.isOpen).toBe(false);
      await sleep(50);
      expect(calls).toBe(1);
    },
  );

  it.each<[string, (asked: Buffer) => string]>([
    ['sends no proof', () => ''],
    ['signs with another key than the enrolled server', (asked) => greeting(asked, { signer: newServerKey() })],
    [
      'relays the proof with a key share of its own',
      (asked) => greeting(asked, { sentShare: newKeyShare().publicKey }),
    ],
    ['sends the proof for another requester', (asked) => greeting(asked, { subjectId: 's_you' })],
    [
      'sends the proof for another key share of the host',
      () => greeting(Buffer.from(`ape-share: ${newKeyShare().publicKey}`)),
    ],
    ['sends a key share that is no point of the curve', (asked) => greeting(asked, { sentShare: 'A'.repeat(43) })],
  ])('that %s: no connection is kept, and no call is sent to it', async (_, greet) => {
    await serve(() => undefined, greet);
    await expect(call(500, 1_500)).rejects.toThrow('no connection was opened');
    expect([calls, kept.isOpen]).toEqual([0, false]);
  });
});
