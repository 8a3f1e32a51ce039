/** A server delivers the changes made by another server: from its start on, however many there are, and also changes that it could not read at first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { plainEvent } from '../../src/core/grant/audit-event.ts';
import { failed } from '../../src/core/result.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type FeedChange, GrantFeed } from '../../src/server/grants/grant-feed.ts';
import { STREAM_BEAT_MS } from '../../src/server/http/event-stream.ts';
import type { Store } from '../../src/store/store.ts';
import { openMemoryStore } from '../contract/memory-store.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { must, newSubject, sampleGrant } from '../contract/store-samples.ts';
import { readEvents } from './event-reader.ts';
import { TestServer } from './server-fixture.ts';

const DENY = { version: 1 };

describe.each(['SQLite', 'PostgreSQL'])('two servers on one %s', (kind) => {
  let postgres: Postgres | null = null;
  let first: TestServer;
  let database: string | null = null;
  beforeAll(async () => {
    if (kind === 'PostgreSQL') postgres = await startPostgres();
    database = postgres === null ? null : await postgres.newDatabase();
    first = await TestServer.start(database === null ? {} : { database });
  });
  afterAll(async () => {
    await first.stop();
    await postgres?.stop();
  });
  const startSecond = () =>
    TestServer.start({ directory: first.directory, database: database ?? `${first.directory}/grants.db` });

  it('notify a client that waits at a server that has just started when the first server decides', async () => {
    const agent = await first.requester();
    const owner = await first.owner();
    const afterMs: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const grant = await first.pending(agent, `early ${round}`);
      const second = await startSecond();
      const waiter = await readEvents(`${second.url}/v1/grants/${grant.id}/events`, agent.headers);
      await waiter.until(({ data }) => data.state === 'pending');
      const startedMs = performance.now();
      await first.decide(owner, grant.id, 'deny', DENY);
      const woken = await waiter.until(({ data }) => data.state === 'denied');
      afterMs.push(woken.atMs - startedMs);
      await second.stop();
    }
    console.log(`${kind}, just started: woken after (ms) ${afterMs.map(Math.round).join(' ')}`);
    for (const ms of afterMs) expect(ms).toBeLessThan(STREAM_BEAT_MS);
  });

  it('notify as fast at the end of thousands of events as after one event', async () => {
    const agent = await first.requester();
    const owner = await first.owner();
    const second = await startSecond();
    const grant = await first.pending(agent, 'at the end');
    const waiter = await readEvents(`${second.url}/v1/grants/${grant.id}/events`, agent.headers);
    await waiter.until(({ data }) => data.state === 'pending');
    must(
      await first.running.store.write(async (rows) => {
        for (let count = 0; count < 8_000; count += 1) rows.record(plainEvent('token.issued', null, Date.now()));
      }),
    );
    const startedMs = performance.now();
    await first.decide(owner, grant.id, 'deny', DENY);
    const woken = await waiter.until(({ data }) => data.state === 'denied');
    console.log(`${kind}, behind 8,000 events: woken after (ms) ${Math.round(woken.atMs - startedMs)}`);
    expect(woken.atMs - startedMs).toBeLessThan(5_000); // with 1,000 events in each look it would take eight looks
    await second.stop();
  });
});

describe('several servers on one PostgreSQL', () => {
  it('notify each other of commits at once, also after the database was unreachable', async () => {
    const postgres = await startPostgres();
    const database = await postgres.newDatabase();
    const first = await TestServer.start({ database });
    const second = await TestServer.start({ database, directory: first.directory });
    let notices = 0;
    const leave = second.running.store.onUnseenEvents(() => {
      notices += 1;
    });
    const commit = async () =>
      must(await first.running.store.write(async (rows) => rows.record(plainEvent('token.issued', null, Date.now()))));
    const heard = async () => {
      const before = notices;
      await expect
        .poll(
          async () => {
            await commit().catch(() => undefined); // while the database is unreachable
            return notices;
          },
          { timeout: 60_000 },
        )
        .toBeGreaterThan(before);
    };
    // The first notice may come from opening the connection itself.
    for (let count = 0; count < 2; count += 1) await heard();
    await postgres.restart();
    for (let count = 0; count < 2; count += 1) await heard();
    leave();
    const own: number[] = [];
    first.running.store.onUnseenEvents(() => own.push(1));
    await sleep(200);
    own.length = 0;
    await commit();
    await sleep(500);
    expect(own).toEqual([]); // a server needs no notice of its own commits
    await second.stop();
    await first.stop();
    await postgres.stop();
  });
});

describe('a change that cannot be read at first', () => {
  it('is sent as soon as it can be read', async () => {
    const memory = openMemoryStore();
    let failures = 3;
    const store: Store = {
      ...memory,
      async read(work) {
        failures -= 1;
        return failures < 0 ? memory.read(work) : failed(failure('unavailable', 'away', undefined, 'store.away'));
      },
    };
    const subject = await newSubject(memory);
    const grant = sampleGrant(subject);
    const { events } = must(
      await memory.write(async (rows) => {
        await rows.insertGrant(grant);
        rows.record({ ...plainEvent('grant.requested', subject.id, 0), grantId: grant.id });
      }),
    );
    const feed = new GrantFeed(store, systemClock, pino({ level: 'silent' }));
    const changes: FeedChange[] = [];
    feed.watchGrant(grant.id, (change) => changes.push(change));
    feed.publish(events);
    await expect.poll(() => changes).toEqual([{ kind: 'grant', seq: 1, grant }]);
    feed.stop();
  });
});
