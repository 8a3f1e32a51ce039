/** The limits for one caller of the server: the last call that is accepted, the first that is refused, and the refusal. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../src/platform/frames.ts';
import { boundedLog } from '../../src/server/bounded-log.ts';
import { HeldBytes, Lanes, RateBudget } from '../../src/server/budgets.ts';
import { callerAddress } from '../../src/server/http/caller-address.ts';
import {
  MAX_ENROLMENTS_PER_ADDRESS,
  MAX_FAILED_SIGN_INS,
  MAX_HELD_BYTES_PER_ADDRESS,
  MAX_HELD_BYTES_PER_REQUESTER,
  MAX_LOG_LINES_PER_MINUTE,
  MAX_REPORTS,
  MAX_STREAMS_PER_SUBJECT,
} from '../../src/server/limits.ts';
import { FramedConnection, mustBeUpgraded, upgrade } from './framed-connection.ts';
import { newKey, type Person, TestServer } from './server-fixture.ts';

describe('a budget', () => {
  it('allows a number of calls at once, then a number a second, and counts each caller separately', () => {
    let elapsedMs = 0;
    const budget = new RateBudget({ atOnce: 3, perSecond: 2 }, { nowMs: () => 0, elapsedMs: () => elapsedMs });
    expect([1, 2, 3, 4].map(() => budget.take('a'))).toEqual([true, true, true, false]);
    expect(budget.take('b')).toBe(true);
    elapsedMs = 1_000;
    expect([1, 2, 3].map(() => budget.take('a'))).toEqual([true, true, false]);
    elapsedMs = 1_000_000;
    expect(budget.take('a', 4)).toBe(false);
    expect(budget.take('a', 3)).toBe(true);
  });

  it('of held bytes has a limit for one caller, and a limit for all', () => {
    const held = new HeldBytes(100);
    expect([held.hold('a', 60, 60), held.hold('a', 1, 60), held.hold('b', 41, 60)]).toEqual(['held', 'own', 'all']);
    expect(held.hold('b', 40, 60)).toBe('held');
    held.release('a', 60);
    expect([held.hold('b', 21, 60), held.hold('c', 60, 60), held.hold('c', 0, 60)]).toEqual(['own', 'held', 'held']);
  });

  it('of turns lets every requester begin, however many calls of another requester wait', async () => {
    const lanes = new Lanes({ underWay: 2, waiting: 3 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const call = (key: string) =>
      lanes.run(key, async () => {
        begun.push(key);
        await new Promise<void>((end) => ends.push(end));
      });
    const calls = Array.from({ length: 6 }, () => call('a'));
    expect(calls.map((one) => one === null)).toEqual([false, false, false, false, false, true]);
    const other = call('b');
    expect(begun).toEqual(['a', 'a', 'b']);
    for (let round = 0; round < 6; round += 1) {
      for (const end of ends.splice(0)) end();
      await sleep(0);
    }
    await Promise.all([...calls, other]);
    expect(begun).toEqual(['a', 'a', 'b', 'a', 'a', 'a']);
  });

  it('uses the address that a proxy reports only behind a proxy, and counts a whole network of IPv6 as one address', () => {
    const from = (ip: string, publicUrl: string, forwarded?: string) =>
      callerAddress({ ip, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }, publicUrl);
    const proxied = 'https://a.example';
    expect(from('127.0.0.1', proxied, '9.9.9.9, 1.2.3.4')).toBe('1.2.3.4');
    expect(from('127.0.0.1', proxied, 'nonsense')).toBe('127.0.0.1');
    expect(from('127.0.0.1', 'http://127.0.0.1:1', '1.2.3.4')).toBe('127.0.0.1');
    expect(from('8.8.8.8', proxied, '1.2.3.4')).toBe('8.8.8.8');
    expect(from('::ffff:8.8.8.8', proxied)).toBe('8.8.8.8');
    expect(from('2001:db8:0:1:a:b:c:d', proxied)).toBe(from('2001:DB8::1:0:0:0:9', proxied));
    expect(from('2001:db8::2:0:0:0:9', proxied)).not.toBe(from('2001:db8::1:0:0:0:9', proxied));
  });

  it('of log lines ends, and the next line says how many lines were left out', () => {
    let elapsedMs = 0;
    const lines: string[] = [];
    const write = (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`);
    const raw = { warn: write, error: write } as unknown as Parameters<typeof boundedLog>[0];
    const log = boundedLog(raw, { nowMs: () => 0, elapsedMs: () => elapsedMs });
    for (let count = 0; count < MAX_LOG_LINES_PER_MINUTE + 5; count += 1) log.warn({}, 'sign-in refused');
    log.error({}, 'another');
    expect(lines).toHaveLength(MAX_LOG_LINES_PER_MINUTE + 1);
    elapsedMs = 60_000;
    log.warn({}, 'sign-in refused');
    expect(lines.slice(-2)).toEqual(['lines left out {"message":"sign-in refused","lines":5}', 'sign-in refused {}']);
  });
});

describe('a server', () => {
  let server: TestServer;
  let agent: Person;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    server = await TestServer.start();
    agent = await server.requester();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.stop();
  });

  /** Announces a body that never comes. */
  function announce(path: string, bytes: number, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const socket = connect(server.running.port, '127.0.0.1');
    sockets.push(socket);
    const headerEntries = Object.entries({
      ...headers,
      'content-type': 'application/json',
      'content-length': String(bytes),
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headerEntries.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{`,
    );
    return new Promise((resolve) => {
      socket.on('error', () => resolve('broken'));
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8')));
      setTimeout(() => resolve('waits'), 2_000);
    });
  }

  it('limits the bytes of unfinished bodies of one caller: it refuses the next body, and answers all other callers', async () => {
    const body = 4 * 1024 * 1024;
    const fits = MAX_HELD_BYTES_PER_REQUESTER / body;
    const first = Array.from({ length: fits }, () => announce('/v1/requests', body, agent.headers));
    expect(new Set(await Promise.all(first))).toEqual(new Set(['waits']));
    const refused = await announce('/v1/requests', body, agent.headers);
    expect(refused).toMatch(/^HTTP\/1.1 429 [\s\S]*retry-after: 1[\s\S]*server\.too_many.*hold too many bytes/);
    expect((await server.ask(await server.requester('other', 'box2'), 'x', { host: 'box2' })).status).toBe(202);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await server.ask(agent, 'mine')).status).toBe(202);
  });

  it('holds nothing for callers that leave while their credentials are read, neither bytes nor connections', async () => {
    const { store } = server.running;
    const read = store.read.bind(store);
    let haveLeft = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      haveLeft = resolve;
    });
    store.read = async (work) => {
      await left; // a slow database: the callers leave first
      return read(work);
    };
    const body = 4 * 1024 * 1024;
    const leave = new AbortController();
    const upgrades = Array.from({ length: MAX_STREAMS_PER_SUBJECT }, () => upgrade(server.url, agent.headers, leave));
    for (let count = 0; count * body < MAX_HELD_BYTES_PER_REQUESTER; count += 1)
      void announce('/v1/requests', body, agent.headers);
    await sleep(1_500);
    leave.abort();
    for (const socket of sockets.splice(0)) socket.destroy();
    const ends = await Promise.allSettled(upgrades);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await sleep(1_500);
    haveLeft();
    store.read = read;
    await expect.poll(() => upgrade(server.url, agent.headers), { timeout: 10_000 }).toBeInstanceOf(FramedConnection);
    const fits = MAX_HELD_BYTES_PER_REQUESTER / body;
    const later = Array.from({ length: fits }, () => announce('/v1/requests', body, agent.headers));
    expect(new Set(await Promise.all(later))).toEqual(new Set(['waits']));
  });

  it('holds fewer bytes for an address without a credential', async () => {
    const body = 64 * 1024;
    const fits = MAX_HELD_BYTES_PER_ADDRESS / body;
    const first = Array.from({ length: fits }, () => announce('/v1/enrolments', body));
    expect(new Set(await Promise.all(first))).toEqual(new Set(['waits']));
    expect(await announce('/v1/enrolments', body)).toMatch(/^HTTP\/1.1 429/);
  });

  it('holds no body of a call to an address where nothing is, and answers before the body', async () => {
    for (const path of ['/nothing', '/v1/nothing', '/v1/requests/x/y/z'])
      expect(await announce(path, 64 * 1024), path).toMatch(/^HTTP\/1.1 404 /);
  });

  it('limits the bytes of unfinished frames in the same way', async () => {
    const lines = [];
    const head = encodeFrame('q', Buffer.alloc(4 * 1024 * 1024)).subarray(0, 3 * 1024 * 1024);
    for (let count = 0; count * head.length <= MAX_HELD_BYTES_PER_REQUESTER; count += 1) {
      const line = mustBeUpgraded(await upgrade(server.url, agent.headers));
      line.socket.on('error', () => undefined);
      lines.push(line);
      line.socket.write(head);
    }
    await Promise.race(lines.map((line) => line.ended)); // one line was too many
    for (const line of lines) line.socket.destroy();
    await expect.poll(async () => (await server.ask(agent, 'mine')).status).toBe(202);
  });

  it('limits the recorded reports of one requester, by either way of sending', async () => {
    const line = mustBeUpgraded(await upgrade(server.url, agent.headers));
    const token = agent.headers['authorization']?.replace('Bearer ', '') ?? '';
    const report = { event: 'line.finished', sessionId: 's' };
    const most = MAX_REPORTS.atOnce * 2;
    let refused: unknown = null;
    for (let sent = 0; sent < most && refused === null; sent += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => line.call('report', token, report)));
      refused = answers.find((answer) => answer?.status !== 204) ?? null;
    }
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'server.too_many' } } });
    const other = await server.requester('other', 'box2');
    expect((await server.call('POST', '/v1/reports', other.headers, report)).status).toBe(204);
    line.socket.destroy();
  });

  it('answers 429 to an address that fails to sign in too often, and still accepts a valid key and a valid link from it', async () => {
    const { privateKey } = newKey();
    const statuses: number[] = [];
    for (let tries = 0; tries < MAX_FAILED_SIGN_INS.atOnce + 40 && statuses.at(-1) !== 429; tries += 1)
      statuses.push((await server.token('s_nobody', privateKey)).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await server.token(agent.id, agent.privateKey)).status).toBe(200);
    expect((await server.call('POST', `/sign-in/${await server.ownerLink()}`)).status).toBe(303);
  });

  it('limits the enrolments from one address', async () => {
    const enrol = () => server.asksForEnrolment({ name: 'x', host: 'h', user: 'u', publicKey: newKey().publicKey });
    for (let count = 0; count < MAX_ENROLMENTS_PER_ADDRESS.atOnce; count += 1) expect((await enrol()).status).toBe(201);
    const refused = await enrol();
    expect([refused.status, refused.body.error.code]).toEqual([429, 'server.too_many']);
  });

  it('keeps no socket of an upgrade that it has answered, and can stop at once', async () => {
    const ended: Promise<unknown>[] = [];
    for (const method of ['GET', 'POST'])
      for (let count = 0; count < 20; count += 1) {
        const socket = connect({ port: server.running.port, host: '127.0.0.1', allowHalfOpen: true });
        sockets.push(socket);
        socket.on('error', () => undefined);
        ended.push(new Promise((resolve) => socket.once('end', resolve)));
        socket.write(`${method} / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`);
        socket.resume();
      }
    await Promise.all(ended);
    const startedMs = performance.now();
    await server.stop();
    expect(performance.now() - startedMs).toBeLessThan(4_000); // the server waits at most 5 s for open sockets
    server = await TestServer.start();
  });
});
