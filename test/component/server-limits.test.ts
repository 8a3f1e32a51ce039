/** Limits of the server: the last call that is accepted, the first that is refused, and the refusal. `server-budgets.test.ts` tests those for one caller. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import { FrameDecoder } from '../../src/platform/frame-decoder.ts';
import { encodeFrame } from '../../src/platform/frames.ts';
import { HeldBytes, Lanes, Places } from '../../src/server/budgets.ts';
import { limitConnections } from '../../src/server/http/build-server.ts';
import { ServedConnection } from '../../src/server/http/persistent-connection.ts';
import { inTurn } from '../../src/server/http/requester-calls.ts';
import {
  LONG_REQUEST_BYTES,
  MAX_APPROVERS,
  MAX_ASK_BODY_BYTES,
  MAX_CALLS_UNDER_WAY,
  MAX_CALLS_WAITING,
  MAX_CONNECTIONS,
  MAX_DENIALS,
  MAX_ENROLMENTS_PER_ADDRESS,
  MAX_FAILED_SIGN_INS,
  MAX_FILED,
  MAX_FRAME_MS,
  MAX_HELD_BYTES,
  MAX_HELD_BYTES_PER_REQUESTER,
  MAX_LAST_ANSWERS_MS,
  MAX_LONG_REQUEST_BYTES,
  MAX_PASSKEYS_PER_PERSON,
  MAX_REPORTS,
  MAX_STREAMS,
  MAX_STREAMS_PER_SUBJECT,
  MAX_UNREAD_ANSWER_BYTES,
  MAX_UPGRADE_MS,
} from '../../src/server/limits.ts';
import { newBudgets } from '../../src/server/server-ports.ts';
import { mustBeUpgraded, upgrade } from './framed-connection.ts';
import { nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

describe('a limit', () => {
  it('of a rate allows a number of calls at once, and one more after its time', () => {
    let elapsedMs = 0;
    const budgets = newBudgets({ nowMs: () => 0, elapsedMs: () => elapsedMs });
    const rates = [
      [budgets.filed, MAX_FILED],
      [budgets.denials, MAX_DENIALS],
      [budgets.reports, MAX_REPORTS],
      [budgets.longRequests, MAX_LONG_REQUEST_BYTES],
      [budgets.failedSignIns, MAX_FAILED_SIGN_INS],
      [budgets.enrolments, MAX_ENROLMENTS_PER_ADDRESS],
    ] as const;
    for (const [budget, { atOnce }] of rates)
      expect([budget.take('a', atOnce), budget.take('a'), budget.take('b')]).toEqual([true, false, true]);
    for (const [budget, { perSecond }] of rates) {
      const startMs = elapsedMs;
      elapsedMs = startMs + 1_001 / perSecond;
      expect([budget.take('a', 1), budget.take('a', perSecond * (elapsedMs + 1_000))]).toEqual([true, false]);
    }
  });

  it('of streams counts for one caller and for all together', () => {
    const places = new Places({ ofOne: MAX_STREAMS_PER_SUBJECT, ofAll: MAX_STREAMS });
    const fill = (who: string) =>
      Array.from({ length: MAX_STREAMS_PER_SUBJECT + 1 }, () => places.take(who)).filter(
        (one) => typeof one === 'function',
      );
    const people = MAX_STREAMS / MAX_STREAMS_PER_SUBJECT;
    const held = Array.from({ length: people }, (_, index) => fill(`s_${index}`));
    expect(held.map(({ length }) => length)).toEqual(Array.from({ length: people }, () => MAX_STREAMS_PER_SUBJECT));
    expect([places.take('s_more'), places.take('s_0')]).toEqual(['all', 'own']);
    held[0]?.[0]?.();
    expect([places.take('s_1'), typeof places.take('s_more'), places.take('s_more')]).toEqual([
      'own',
      'function',
      'all',
    ]);
  });

  it('of connections closes each connection beyond it', async () => {
    const server = createServer();
    limitConnections(server);
    expect(server.maxConnections).toBe(MAX_CONNECTIONS);
    limitConnections(server, 2);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const opened: Socket[] = [];
    for (let count = 0; count < 3; count += 1) {
      const socket = connect(port, '127.0.0.1');
      await new Promise((resolve) => socket.once('connect', resolve));
      opened.push(socket);
    }
    await new Promise((resolve) => opened[2]?.once('close', resolve));
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
    for (const socket of opened) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('of calls counts those that run and those that wait, and the next call is refused', async () => {
    const lanes = new Lanes({ underWay: MAX_CALLS_UNDER_WAY, waiting: MAX_CALLS_WAITING });
    let begun = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const budgets = { ...newBudgets({ nowMs: () => 0, elapsedMs: () => 0 }), lanes };
    const call = () =>
      inTurn({ budgets }, 'a', async () => {
        begun += 1;
        await gate;
        return { ok: true as const, value: null };
      });
    const calls = Array.from({ length: MAX_CALLS_UNDER_WAY + MAX_CALLS_WAITING }, call);
    expect(begun).toBe(MAX_CALLS_UNDER_WAY);
    expect(await call()).toMatchObject({ ok: false, failure: { code: 'server.too_many', message: /wait already/ } });
    open();
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  });

  it('of held bytes is the limit for all callers together', () => {
    const held = new HeldBytes(MAX_HELD_BYTES);
    const each = MAX_HELD_BYTES_PER_REQUESTER;
    for (let count = 0; count < MAX_HELD_BYTES / each; count += 1)
      expect([held.hold(`s_${count}`, each, each), held.hold(`s_${count}`, 1, each)]).toEqual(['held', 'own']);
    expect(held.hold('s_more', 1, each)).toBe('all');
  });

  it('of unread answers stops reading calls, and loses no answer', async () => {
    const body = 'x'.repeat(1024 * 1024);
    let started = 0;
    const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
    const listener2 = listener.listen(0, '127.0.0.1');
    await new Promise((resolve) => listener2.once('listening', resolve));
    const reader = connect((listener.address() as { port: number }).port, '127.0.0.1');
    const socket = await accepted;
    const held = new HeldBytes(MAX_HELD_BYTES);
    const keeping = { subjectId: 's', publicKey: null, signer: null as never, held, headers: '' };
    const connection = new ServedConnection(
      socket,
      keeping,
      async () => {
        started += 1;
        return { status: 200, body };
      },
      () => undefined,
    );
    connection.start(Buffer.alloc(0));
    const all = 100;
    for (let id = 1; id <= all; id += 1)
      reader.write(encodeFrame('q', JSON.stringify({ id, call: 'ask', token: 'x'.repeat(43), body: {} })));
    await expect.poll(() => socket.writableLength).toBeGreaterThan(MAX_UNREAD_ANSWER_BYTES);
    await sleep(300);
    const atRest = started;
    await sleep(300);
    expect([started, started < all]).toEqual([atRest, true]);
    const decoder = new FrameDecoder({ a: 2 * body.length });
    let answered = 0;
    let isHead = true;
    reader.on('data', (chunk: Buffer) => {
      const rest = isHead ? chunk.subarray(chunk.indexOf('\r\n\r\n') + 4) : chunk;
      isHead = false;
      answered += decoder.take(rest).length;
    });
    await expect.poll(() => answered).toBe(all);
    reader.destroy();
  });

  it('of unread answers ends a connection that finishes, although the client reads nothing', async () => {
    const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
    const listening = listener.listen(0, '127.0.0.1');
    await new Promise((resolve) => listening.once('listening', resolve));
    const reader = connect((listener.address() as { port: number }).port, '127.0.0.1').pause();
    const socket = await accepted;
    const held = new HeldBytes(MAX_HELD_BYTES);
    const keeping = { subjectId: 's', publicKey: null, signer: null as never, held, headers: '' };
    const body = 'x'.repeat(2 * MAX_UNREAD_ANSWER_BYTES);
    const connection = new ServedConnection(
      socket,
      keeping,
      async () => ({ status: 200, body }),
      () => undefined,
    );
    connection.start(Buffer.alloc(0));
    reader.write(encodeFrame('q', JSON.stringify({ id: 1, call: 'ask', token: 'x'.repeat(43), body: {} })));
    await expect.poll(() => socket.writableLength).toBeGreaterThan(MAX_UNREAD_ANSWER_BYTES);
    const startedMs = performance.now();
    const ended = new Promise((resolve) => socket.once('close', resolve));
    connection.finish();
    await ended;
    expect(performance.now() - startedMs).toBeGreaterThan(MAX_LAST_ANSWERS_MS - 1_000);
    reader.destroy();
  }, 60_000);

  const listener = createServer();
  afterEach(() => {
    if (listener.listening) listener.close();
  });
});

describe('a server', () => {
  let server: TestServer;
  let agent: Person;
  beforeEach(async () => {
    server = await TestServer.start();
    agent = await server.requester();
  });
  afterEach(() => server.stop());
  /** A server whose clock does not move: no limit of a rate recovers, however long the test takes. */
  const withStoppedClock = async () => {
    await server.stop();
    server = await TestServer.start({ elapsedMs: () => 0 });
    agent = await server.requester();
  };

  const post = (body: string, who = agent) =>
    server.call<ErrorBody & { grant: { id: string } }>('POST', '/v1/requests', who.headers, body);
  /** Returns a body for which `sizeOf` gives `bytes`. `sizeOf` measures the whole body or only its request. */
  const bodyOf = (text: string) => JSON.stringify({ request: requestFor(text), nonce: nonce(), findings: null });
  const padded = (bytes: number, sizeOf: (text: string) => number) => bodyOf('x'.repeat(bytes - sizeOf('')));
  const withdraw = (id: string) => server.call('POST', `/v1/grants/${id}/withdraw`, agent.headers);

  it('accepts a body of 4 MiB, and refuses one byte more', async () => {
    const whole = padded(MAX_ASK_BODY_BYTES, (text) => bodyOf(text).length);
    expect(Buffer.byteLength(whole)).toBe(MAX_ASK_BODY_BYTES);
    expect((await post(whole)).status).toBe(202);
    const refused = await post(`${whole} `);
    expect([refused.status, refused.body.error.message]).toEqual([413, 'Request body is too large']);
  });

  it('limits the bytes of long requests; beyond the limit it accepts only short requests, of up to 64 KiB', async () => {
    await withStoppedClock();
    const size = (text: string) => JSON.stringify(requestFor(text)).length;
    const long = 3_900_000;
    const fits = Math.floor(MAX_LONG_REQUEST_BYTES.atOnce / long);
    let refused: ErrorBody | null = null;
    let taken = 0;
    for (; refused === null && taken <= fits; taken += 1) {
      const answer = await post(
        padded(long, (text) => size(`${taken}${text}`)).replace('xxx', `${taken}`.padStart(3, 'x')),
      );
      if (answer.status === 202) await withdraw(answer.body.grant.id);
      else refused = answer.body;
    }
    expect(refused?.error).toMatchObject({
      code: 'server.too_many',
      message: expect.stringContaining('long requests'),
    });
    expect(taken).toBe(fits + 1);
    expect((await post(padded(LONG_REQUEST_BYTES, size))).status).toBe(202);
  });

  it('pauses a requester that files more requests than the limit, and says why', async () => {
    await withStoppedClock();
    const owner = await server.owner();
    let filed = 0;
    let isPaused = false;
    while (!isPaused && filed < 2 * MAX_FILED.atOnce) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => post(bodyOf(`n${filed + index}`))));
      const good = answers.filter(({ status }) => status === 202);
      filed += good.length;
      isPaused = answers.some(({ body }) => (body as Partial<ErrorBody>).error?.code === 'requester.paused');
      await Promise.all(good.map(({ body }) => withdraw(body.grant.id)));
    }
    expect(isPaused).toBe(true);
    expect(filed).toBeGreaterThanOrEqual(MAX_FILED.atOnce);
    const { body } = await server.call<{ pauses: { reason: string }[] }>('GET', '/v1/pauses', owner);
    expect(body.pauses.map(({ reason }) => reason)).toEqual([
      `more than ${MAX_FILED.atOnce} new requests in a short time`,
    ]);
  });

  it('limits the devices of a person', async () => {
    const owner = await server.owner();
    const creation = () => server.call<ErrorBody>('POST', '/v1/passkeys/creation', owner, {});
    const add = (count: number) =>
      server.running.store.write((rows) =>
        rows.passkeys.insertPasskey({
          id: `k_${count}`,
          subjectId: 's_owner',
          rpId: 'localhost',
          credentialId: `c${count}`,
          publicKey: { kty: 'EC' },
          cose: '',
          algorithm: -7,
          counter: 0,
          transports: [],
          isBackedUp: false,
          name: 'n',
          createdAtMs: 1,
          lastUsedAtMs: null,
          copiedAtMs: null,
          revokedAtMs: null,
        }),
      );
    for (let count = 1; count < MAX_PASSKEYS_PER_PERSON; count += 1) await add(count);
    expect((await creation()).status).toBe(200);
    await add(MAX_PASSKEYS_PER_PERSON);
    expect((await creation()).body.error).toMatchObject({
      code: 'passkey.too_many',
      message: `a person has at most ${MAX_PASSKEYS_PER_PERSON} devices; remove one that is not used any more`,
    });
  });

  it('limits the approvers', async () => {
    const owner = await server.owner();
    const invite = (name = 'one more') => server.call<ErrorBody>('POST', '/v1/people', owner, { name });
    await server.running.store.write(async (rows) => {
      const person = { role: 'approver' as const, name: 'n', host: '', user: '', publicKey: null, createdAtMs: 1 };
      for (let count = 1; count < MAX_APPROVERS - 1; count += 1)
        await rows.insertSubject({ ...person, id: `s_${count}`, revokedAtMs: null });
    });
    expect((await invite()).status).toBe(201);
    const refused = await invite('another');
    expect([refused.status, refused.body.error.message]).toEqual([
      429,
      `this server has ${MAX_APPROVERS} people and approver keys, and no more are allowed; revoke one first`,
    ]);
    await server.running.store.write((rows) => rows.revokeSubject('s_1', 2));
    expect((await invite('in their place')).status).toBe(201);
  });

  it('limits the time for a frame to be complete, and for an answer to an upgrade to be read', async () => {
    const owner = await server.owner();
    const grant = await server.pending(agent, '<'.repeat(3_900_000)); // on a page each character becomes four
    const line = mustBeUpgraded(await upgrade(server.url, agent.headers));
    const startedMs = performance.now();
    const endedMs = line.ended.then(() => performance.now() - startedMs);
    line.socket.write(encodeFrame('q', Buffer.alloc(100)).subarray(0, 50));
    const taken = async (afterMs: number): Promise<number> => {
      const socket = connect(server.running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      const head = `GET /parts/card/${grant.id}?whole= HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${owner['cookie']}\r\n`;
      socket.write(`${head}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`);
      await sleep(afterMs);
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
      return bytes;
    };
    const early = await taken(MAX_UPGRADE_MS / 5); // a short wait, because making such a page takes seconds on a slow machine
    const late = await taken(MAX_UPGRADE_MS + 3_000);
    expect(early).toBeGreaterThan(4 * 3_900_000);
    expect(late).toBeLessThan(early);
    expect(await endedMs).toBeGreaterThan(MAX_FRAME_MS - 1_000);
    expect(await endedMs).toBeLessThan(MAX_FRAME_MS + 20_000);
  });
});
