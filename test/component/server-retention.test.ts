/** What the server removes after its retention times, and how readers learn that. Most tests move the clock of a real server. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { failure } from '../../src/core/failure.ts';
import { type AuditEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import { failed } from '../../src/core/result.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type FeedChange, GrantFeed } from '../../src/server/grants/grant-feed.ts';
import { StandingIndex } from '../../src/server/grants/standing-index.ts';
import { NotificationDispatcher } from '../../src/server/notifications/dispatcher.ts';
import { type KeptTimes, Retention } from '../../src/server/retention.ts';
import type { ServerParts } from '../../src/server/server-ports.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { openMemoryStore } from '../contract/memory-store.ts';
import { must } from '../contract/store-samples.ts';
import { readEvents } from './event-reader.ts';
import { nonce, type Person, TestServer } from './server-fixture.ts';

const DAY_MS = 86_400_000;
const ALL: KeptTimes = { requests: 90 * DAY_MS, uses: 90 * DAY_MS, events: 90 * DAY_MS };
const NONE: KeptTimes = { requests: null, uses: null, events: null };

interface Audit {
  readonly events: readonly (AuditEvent & { readonly seq: number })[];
  readonly cut: number | null;
}

describe('a server with retention times for requests, uses and events', () => {
  let atMs = 1_800_000_000_000;
  let server: TestServer;
  let first: TestServer;
  let agent: Person;
  const clock = () => atMs;

  beforeEach(async () => {
    atMs = 1_800_000_000_000;
    first = await TestServer.start({ clock });
    server = first;
    agent = await server.requester();
  });
  afterEach(async () => {
    if (server !== first) await server.stop();
    await first.stop();
  });

  /** Stops the server, moves the clock, and starts a server with these retention times; that server removes old rows at its start. */
  const later = async (days: number, keptTimes: KeptTimes) => {
    await server.running.stop();
    atMs += days * DAY_MS;
    server = await TestServer.start({ clock, directory: first.directory, keptTimes });
    agent = await server.signedIn(agent.id, agent.privateKey);
  };
  const events = async () => must(await server.running.store.read((rows) => rows.events(0, 1_000)));
  /** Returns the events that say how many rows of a class were removed. */
  const cuts = async () => (await events()).filter(({ kind }) => kind === 'record.cut');
  const cutsWhen = async (count: number) => {
    for (const giveUpMs = performance.now() + 30_000; performance.now() < giveUpMs; ) {
      const found = await cuts();
      if (found.length >= count) return found;
      await sleep(10);
    }
    throw new Error(`no ${count} cuts: ${JSON.stringify(await cuts())}`);
  };
  const isThere = async ({ id }: { readonly id: string }) =>
    must(await server.running.store.read((rows) => rows.grant(id))) !== undefined;
  const approve = async (text: string, term: GrantView['term']) => {
    const grant = await server.pending(agent, text);
    const answer = await server.decide(await server.owner(), grant.id, 'approve', { version: grant.version, term });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return grant;
  };

  it('removes old requests, uses and events, keeps a usable grant, and records one event for each class', async () => {
    const always = await approve('echo always', { kind: 'always' });
    const used = await approve('echo once', { kind: 'once' });
    const forgotten = await server.pending(agent, 'echo forgotten');
    const body = { fingerprint: used.fingerprint, nonce: nonce() };
    const redeem = () =>
      server.call<{ error?: { code: string } }>('POST', `/v1/grants/${used.id}/redeem`, agent.headers, body);
    expect((await redeem()).status).toBe(200);
    expect((await server.ask(agent, 'echo always')).body.outcome).toBe('permitted');

    await later(93, ALL);
    const found = await cutsWhen(3);
    expect(found.map(({ facts }) => [facts['class'], facts['count'], facts['beforeMs']])).toEqual([
      ['requests', 2, atMs - 90 * DAY_MS],
      ['uses', 2, atMs - 90 * DAY_MS],
      ['events', expect.any(Number), atMs - 90 * DAY_MS],
    ]);
    expect([await isThere(always), await isThere(used), await isThere(forgotten)]).toEqual([true, false, false]);
    expect((await events()).filter(({ grantId }) => grantId === always.id).map(({ kind }) => kind)).toEqual([
      'grant.requested',
      'grant.approved',
    ]);
    expect(must(await server.running.store.check())).toEqual([]);

    // A grant that was used and then removed cannot be used again: neither its id nor its bytes run a second time.
    expect((await redeem()).status).toBe(404);
    expect((await server.ask(agent, 'echo once')).body.outcome).toBe('pending');
    expect((await server.ask(agent, 'echo always')).body.outcome).toBe('permitted');

    const owner = await server.owner();
    const history = (await server.call<string>('GET', '/history', { ...owner, accept: 'text/html' })).body;
    expect(history.replace(/<[^>]*>/g, '')).toMatch(/because of their age: 2 requests that were over before 20\d\d-/);
    await sleep(200);
    expect(await cuts()).toHaveLength(3);
  });

  it('removes nothing when no retention time is set', async () => {
    await approve('echo once', { kind: 'once' });
    const before = await events();
    await later(4_000, NONE);
    await sleep(200);
    expect((await events()).slice(0, before.length)).toEqual(before);
    expect(await cuts()).toEqual([]);
  });

  it('can remove one class only', async () => {
    const grant = await server.pending(agent, 'echo forgotten');
    const before = await events();
    await later(91, { ...NONE, requests: 30 * DAY_MS });
    const [mark, ...more] = await cutsWhen(1);
    expect([mark?.facts['class'], mark?.facts['count'], more]).toEqual(['requests', 1, []]);
    expect(await isThere(grant)).toBe(false);
    expect((await events()).slice(0, before.length)).toEqual(before);
  });

  it('reports to a reader that events were removed before it read them, in the stream and in the list', async () => {
    await server.pending(agent, 'echo forgotten');
    const { seq: lastSeen } = (await events()).at(-1) ?? { seq: 0 };
    await server.pending(agent, 'echo another');
    await later(93, ALL);
    await cutsWhen(2);
    const owner = await server.owner();
    const late = await readEvents(`${server.url}/v1/events?after=${lastSeen}`, owner);
    const cut = await late.until(({ event }) => event === 'cut');
    late.close();
    const lastSeq = must(await server.running.store.read((rows) => rows.lastSeq()));
    expect(Number(cut.id)).toBe(lastSeq);

    const audit = (after: number) => server.call<Audit>('GET', `/v1/audit?after=${after}`, owner);
    expect((await audit(lastSeen)).body.cut).toBeGreaterThan(lastSeen);
    expect((await audit(lastSeq)).body.cut).toBeNull();

    // A reader that read every removed event missed nothing: it gets only the new event, and no `cut`.
    const here = await readEvents(`${server.url}/v1/events?after=${lastSeq}`, owner);
    const grant = await server.pending(agent, 'echo news');
    await here.until(({ data }) => data.id === grant.id);
    expect(here.seen.map(({ event }) => event)).not.toContain('cut');
    here.close();
  });

  it('applies a deny rule even if its event was removed before an idle server read it', async () => {
    const idle = new StandingIndex();
    const { store } = server.running;
    must(await store.read((rows) => idle.catchUp(rows)));
    const rule = { effect: 'deny', requesterId: null, text: 'rm *', pattern: null, reason: 'never' };
    const made = await server.call('POST', '/v1/policies', await server.owner(), rule);
    expect([made.status, idle.hasDenies]).toEqual([200, false]);
    await later(91, { ...NONE, events: DAY_MS });
    await cutsWhen(1);
    expect((await events()).map(({ kind }) => kind)).not.toContain('policy.created');
    must(await server.running.store.read((rows) => idle.catchUp(rows)));
    expect(idle.hasDenies).toBe(true);
    const asked = await server.ask(agent, 'rm -r x');
    expect(JSON.stringify(asked.body)).toContain('never');
  });

  it('keeps the count of uses after the records of the uses were removed', async () => {
    const grant = await approve('echo counted', { kind: 'always' });
    for (const _ of [1, 2, 3]) expect((await server.ask(agent, 'echo counted')).body.outcome).toBe('permitted');
    await later(93, ALL);
    await cutsWhen(1);
    const [kept] = must(await server.running.store.read(async (rows) => [await rows.grant(grant.id)]));
    expect(kept?.uses).toBe(3);
    expect(must(await server.running.store.read((rows) => rows.eventsOf(grant.id, 'grant.used', 10)))).toEqual([]);
    expect(must(await server.running.store.check())).toEqual([]);
  });
});

describe('retention', () => {
  it('removes old rows once an hour, a few rows in each transaction', async () => {
    let nowMs = 1_800_000_000_000;
    const clock = { ...systemClock, nowMs: () => nowMs };
    const store = openMemoryStore();
    const log = pino({ level: 'silent' });
    const parts = {
      store,
      clock,
      log,
      keptTimes: { ...NONE, events: DAY_MS },
      feed: new GrantFeed(store, clock, log),
      notifications: new NotificationDispatcher((): ServerParts => parts, clock),
    } as unknown as ServerParts;
    const retention = new Retention(() => parts, { requests: 2, uses: 2, events: 2 });
    const record = async (times: readonly number[]) =>
      must(
        await store.write(async (rows) => {
          for (const atMs of times) rows.record(plainEvent('token.issued', null, atMs));
        }),
      );
    const counts = async () =>
      must(await store.read((rows) => rows.events(0, 1_000)))
        .filter(({ kind }) => kind === 'record.cut')
        .map(({ facts }) => facts['count']);
    await record([1, 2, 3, 4, 5, nowMs]);
    await retention.look();
    expect(await counts()).toEqual([2, 2, 1]);
    await record([6]);
    nowMs += 3_599_999;
    await retention.look();
    expect(await counts()).toEqual([2, 2, 1]);
    nowMs += 1;
    await retention.look();
    expect(await counts()).toEqual([2, 2, 1, 1]);
    await record([7]);
    nowMs -= DAY_MS / 2; // the wall clock was set back
    await retention.look();
    expect(await counts()).toEqual([2, 2, 1, 1, 1]);
    await retention.stop();
    await record([8]);
    nowMs += DAY_MS;
    await retention.look();
    expect(await counts()).toEqual([2, 2, 1, 1, 1]);
  });

  it('sends `cut` to the listeners of a server when events were removed while it could not read the database', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ape-retention-'));
    const store = must(await openStore(join(directory, 'grants.db')));
    let isAway = false;
    const away = failure('unavailable', 'the database is away', 'wait', 'store.away');
    const read: Store['read'] = async (work) => (isAway ? failed(away) : store.read(work));
    const onUnseenEvents = store.onUnseenEvents.bind(store);
    const shaky = { isShared: true, read, onUnseenEvents } as unknown as Store;
    const feed = new GrantFeed(shaky, systemClock, pino({ level: 'silent' }));
    await feed.start();
    const changes: FeedChange[] = [];
    const cut = new Promise<void>((resolve) => {
      feed.watchEverything((change) => {
        changes.push(change);
        resolve();
      });
    });
    isAway = true;
    must(await store.write(async (rows) => rows.record(plainEvent('token.issued', null, 1))));
    must(
      await store.write(async (rows) => {
        await rows.retention.removeOld('events', { beforeMs: 10, fromMs: 0, nowMs: 20, limit: 5 });
        rows.record(plainEvent('record.cut', null, 20));
      }),
    );
    isAway = false;
    await cut;
    expect(changes).toEqual([{ kind: 'cut', seq: 2 }]);
    feed.stop();
    await store.close();
    removeDirectory(directory);
  });
});
