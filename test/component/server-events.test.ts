/** The event streams of a grant and of an approver miss no change. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainEvent } from '../../src/core/grant/audit-event.ts';
import { PENDING_LIFETIME_MS } from '../../src/core/grant/grant.ts';
import { POLL_MS } from '../../src/server/grants/grant-feed.ts';
import { STREAM_BEAT_MS } from '../../src/server/http/event-stream.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { readEvents } from './event-reader.ts';
import { newKey, type Person, TestServer } from './server-fixture.ts';

const once = { version: 1, term: { kind: 'once' } };

describe('a stream', () => {
  let server: TestServer;
  let agent: Person;
  let owner: Readonly<Record<string, string>>;
  let skipMs = 0;
  beforeEach(async () => {
    skipMs = 0;
    server = await TestServer.start({ clock: () => Date.now() + skipMs });
    agent = await server.requester();
    owner = await server.owner();
  });
  afterEach(() => server.stop());
  const watch = (id: string) => readEvents(`${server.url}/v1/grants/${id}/events`, agent.headers);

  it('of a grant sends the present state at once and each change as it happens, and ends with a final state', async () => {
    const grant = await server.pending(agent, 'a');
    const reader = await watch(grant.id);
    await reader.until(({ data }) => data.state === 'pending');
    const startedMs = performance.now();
    await server.decide(owner, grant.id, 'approve', once);
    const approved = await reader.until(({ data }) => data.state === 'approved');
    expect(approved.atMs - startedMs).toBeLessThan(STREAM_BEAT_MS); // pushed at once, not sent with the next beat
    await server.redeem(agent, grant);
    await reader.ended;
    expect(reader.seen.map(({ data }) => data.state)).toEqual(['pending', 'approved', 'used']);
    const late = await watch(grant.id);
    await late.ended;
    expect(late.seen.map(({ data }) => data.state)).toEqual(['used']);
  });

  it('of an approver reports each pause of a requester and its end, also to a reader that reconnects', async () => {
    const read = (after = '') => readEvents(`${server.url}/v1/events${after}`, owner);
    const reader = await read('?after=0');
    const about = (isPaused: boolean, isRevoked = false) =>
      reader.until(
        ({ event, data }) =>
          event === 'requester' && JSON.stringify(data) === JSON.stringify({ id: agent.id, isPaused, isRevoked }),
      );
    await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {});
    const paused = await about(true);
    await server.resume(owner, agent);
    await about(false);
    await server.call('POST', `/v1/requesters/${agent.id}/revoke`, owner);
    await about(false, true);
    reader.close();
    const late = await read(`?after=${Number(paused.id) - 1}`);
    const missed = await late.until(({ event }) => event === 'requester');
    expect(missed.data).toEqual({ id: agent.id, isPaused: false, isRevoked: true });
    late.close();
  });

  it('of an approver reports an enrolment without its twins, which were not looked up for the event', async () => {
    const reader = await readEvents(`${server.url}/v1/events`, owner);
    const { publicKey } = newKey();
    const { nonce, body } = await server.asksForEnrolment({ name: 'agent', host: 'h', user: 'u', publicKey });
    const { data } = await reader.until(({ event }) => event === 'enrolment');
    expect(data).toMatchObject({ id: body.enrolmentId, state: 'pending', code: null });
    expect(data).not.toHaveProperty('twins');
    const { code } = (await server.sendNonce(body.enrolmentId, nonce)).body;
    const later = await reader.until(
      ({ event, data }) => event === 'enrolment' && 'code' in data && data.code !== null,
    );
    expect(later.data).toMatchObject({ id: body.enrolmentId, state: 'pending', code });
    reader.close();
  });

  it('notifies each of twenty clients that wait for the same grant', async () => {
    const grant = await server.pending(agent, 'a');
    const readers = await Promise.all(Array.from({ length: 20 }, () => watch(grant.id)));
    await server.decide(owner, grant.id, 'deny', { version: 1 });
    await Promise.all(readers.map((reader) => reader.ended));
    for (const reader of readers) expect(reader.seen.at(-1)?.data.state).toBe('denied');
  });

  it('loses no change that happens while it opens', async () => {
    for (let round = 0; round < 15; round += 1) {
      const grant = await server.pending(agent, `race ${round}`);
      const [reader] = await Promise.all([watch(grant.id), server.decide(owner, grant.id, 'deny', { version: 1 })]);
      await reader.ended;
      expect(reader.seen.at(-1)?.data.state).toBe('denied');
      await server.resume(owner, agent);
    }
  });

  it('reports the expiry of a request and of an approval when it happens', async () => {
    const timed = await server.pending(agent, 'timed');
    const reader = await watch(timed.id);
    const startedMs = performance.now();
    await server.decide(owner, timed.id, 'approve', { version: 1, term: { kind: 'timed', forMs: 1_200 } });
    await reader.ended;
    expect(reader.seen.map(({ data }) => data.state)).toEqual(['pending', 'approved', 'expired']);
    const afterMs = (reader.seen.at(-1)?.atMs ?? 0) - startedMs;
    expect(afterMs).toBeGreaterThan(1_100);
    expect(afterMs).toBeLessThan(STREAM_BEAT_MS);
    const grant = await server.pending(agent, 'pending');
    skipMs = PENDING_LIFETIME_MS - 5_000; // the rest is for fetching a token and opening the stream
    agent = await server.signedIn(agent.id, agent.privateKey);
    const waiting = await watch(grant.id);
    await waiting.ended;
    expect(waiting.seen.map(({ data }) => data.state)).toEqual(['pending', 'expired']);
  });

  it('stays open for a term of a hundred years', async () => {
    const grant = await server.pending(agent, 'long');
    const term = { kind: 'timed', untilMs: Date.now() + 100 * 365 * 86_400_000 };
    await server.decide(owner, grant.id, 'approve', { version: 1, term });
    const reader = await watch(grant.id);
    await reader.until(({ data }) => data.state === 'approved');
    await sleep(300);
    expect(reader.seen).toHaveLength(1); // an overflowing timer would fire again and again
    reader.close();
  });

  it('is refused to another requester, to a caller without a credential, and for an unknown grant', async () => {
    const grant = await server.pending(agent, 'mine');
    const stranger = await server.requester('stranger');
    const status = async (id: string, headers: Readonly<Record<string, string>>) =>
      (await readEvents(`${server.url}/v1/grants/${id}/events`, headers)).status;
    expect(await status(grant.id, stranger.headers)).toBe(403);
    expect(await status(grant.id, {})).toBe(401);
    expect(await status('g_none', agent.headers)).toBe(404);
  });

  it('ends when its token expires', async () => {
    const grant = await server.pending(agent, 'token');
    skipMs = 15 * 60_000 - 4_000; // the rest is for opening the stream
    const startedMs = performance.now();
    const reader = await watch(grant.id);
    await reader.ended;
    expect(performance.now() - startedMs).toBeLessThan(STREAM_BEAT_MS); // at the expiry, not at the next beat
    expect(reader.seen.map(({ data }) => data.state)).toEqual(['pending']);
  });

  it('of all events starts after the event that the reader names, and numbers its own events', async () => {
    const first = await server.pending(agent, 'first');
    const reader = await readEvents(`${server.url}/v1/events`, owner);
    const second = await server.pending(agent, 'second');
    const seen = await reader.until(({ data }) => data.id === second.id);
    expect(reader.seen.map(({ data }) => data.id)).toEqual([second.id]);
    reader.close();
    const third = await server.pending(agent, 'third');
    await server.decide(owner, first.id, 'deny', { version: 1 });
    const again = await readEvents(`${server.url}/v1/events`, { ...owner, 'last-event-id': seen.id ?? '' });
    await again.until(({ data }) => data.id === first.id && data.state === 'denied');
    expect(again.seen.map(({ data }) => data.id).toSorted()).toEqual([first.id, third.id].toSorted());
    again.close();
  });

  it('of all events sends what a reader missed in the order of the numbers, so that it can continue after any of them', async () => {
    const [first, second] = [await server.pending(agent, 'one'), await server.pending(agent, 'two')];
    const after = await server.running.store.read((rows) => rows.lastSeq());
    await server.decide(owner, first.id, 'approve', { version: 1, term: { kind: 'once' } });
    await server.decide(owner, second.id, 'deny', { version: 1 });
    await server.decide(owner, first.id, 'revoke', { version: 2 });
    const reader = await readEvents(`${server.url}/v1/events?after=${after.ok ? after.value : ''}`, owner);
    await reader.until(({ data }) => data.id === second.id);
    await reader.until(({ data }) => data.id === first.id);
    const ids = reader.seen.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    reader.close();
  });

  it('of all events asks a reader that missed too much to read everything again, and continues from there', async () => {
    const from = await server.running.store.read((rows) => rows.lastSeq());
    const after = from.ok ? from.value : Number.NaN;
    const record = (count: number) =>
      server.running.store.write(async (rows) => {
        for (let index = 0; index < count; index += 1)
          rows.record(plainEvent('session.opened', null, Date.now(), { index }));
      });
    await record(499);
    const last = await server.pending(agent, 'the last of 500');
    const back = await readEvents(`${server.url}/v1/events?after=${after}`, owner);
    await back.until(({ data }) => data.id === last.id);
    expect(back.seen.map(({ event }) => event)).toEqual(['grant']);
    back.close();
    await record(1);
    const late = await readEvents(`${server.url}/v1/events?after=${after}`, owner);
    const { id } = await late.until(({ event }) => event === 'cut');
    const news = await server.pending(agent, 'news');
    await late.until(({ data }) => data.id === news.id);
    expect(late.seen.map(({ event }) => event)).toEqual(['cut', 'grant']);
    late.close();
    const again = await readEvents(`${server.url}/v1/events?after=${id}`, owner);
    await again.until(({ data }) => data.id === news.id);
    expect(again.seen).toHaveLength(1);
    again.close();
    // The reader has seen events that a restored database has lost.
    const ahead = await readEvents(`${server.url}/v1/events?after=999999`, owner);
    await ahead.until(({ event }) => event === 'cut');
    ahead.close();
    again.close();
  });

  it('ends at once when the server stops', async () => {
    const grant = await server.pending(agent, 'stop');
    const reader = await watch(grant.id);
    const startedMs = performance.now();
    await server.stop();
    await reader.ended;
    expect(performance.now() - startedMs).toBeLessThan(STREAM_BEAT_MS);
    server = await TestServer.start();
  });

  it('whose reader does not read does not delay the other streams', async () => {
    const slow = await openSlowly(server, owner);
    const reader = await readEvents(`${server.url}/v1/events`, owner);
    const text = 'x'.repeat(500_000); // this stream cuts long requests
    for (let round = 0; round < 60; round += 1) await server.pending(agent, `${round} ${text}`);
    await reader.until(({ data }) => (data as unknown as { request: { text: string } }).request.text.startsWith('59 '));
    slow.destroy();
    reader.close();
  });
});

/** Opens the stream of all events, and never reads a byte of it. */
function openSlowly(server: TestServer, headers: Readonly<Record<string, string>>): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(server.running.port, '127.0.0.1', () => {
      socket.pause();
      socket.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${headers['cookie']}\r\n\r\n`);
      setTimeout(() => resolve(socket), 200);
    });
  });
}

describe('several servers on one PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it("notify each other's waiters, and use a once grant only once between them", async () => {
    const database = await postgres.newDatabase();
    const first = await TestServer.start({ database });
    const second = await TestServer.start({ database, directory: first.directory });
    const agent = await first.requester();
    const grant = await first.pending(agent, 'across');
    const waiter = await readEvents(`${second.url}/v1/grants/${grant.id}/events`, agent.headers);
    await waiter.until(({ data }) => data.state === 'pending');
    await sleep(1_200);
    const startedMs = performance.now();
    await first.decide(await first.owner(), grant.id, 'approve', once);
    const woken = await waiter.until(({ data }) => data.state === 'approved');
    expect(woken.atMs - startedMs).toBeLessThan(STREAM_BEAT_MS);
    expect(POLL_MS).toBeLessThanOrEqual(1_000);
    const uses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? first : second).redeem(agent, grant)),
    );
    expect(uses.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(uses.filter((answer) => answer.status === 409)).toHaveLength(11);
    await waiter.ended;
    await second.stop();
    await first.stop();
  });
});
