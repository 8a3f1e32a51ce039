/** A database that becomes unreachable under load: calls are refused with a code for it, waiters stay, and no use is lost or doubled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredAuditEvent } from '../../src/core/grant/audit-event.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { type EventReader, readEvents } from './event-reader.ts';
import { type Person, TestServer } from './server-fixture.ts';

const CLIENTS = 8;
const ALWAYS = { version: 1, term: { kind: 'always' } };
const ONCE = { version: 1, term: { kind: 'once' } };
/** The longest time until the first permit after the database came back. Normally it takes milliseconds. */
const SOON_MS = 10_000;

let postgres: Postgres;
let server: TestServer;
let database: string;
let agent: Person;
beforeAll(async () => {
  postgres = await startPostgres();
  database = await postgres.newDatabase();
  server = await TestServer.start({ database });
  agent = await server.requester();
});
afterAll(async () => {
  await server.stop();
  await postgres.stop();
});

interface Load {
  permits: number;
  lastPermitAtMs: number;
  readonly refusals: Map<string, number>;
  readonly redeemed: string[];
  end(): Promise<void>;
}

/** Starts clients that ask for one covered command again and again, and that all try to redeem the same grants. */
function startLoad(text: string, once: readonly { readonly id: string; readonly fingerprint: string }[]): Load {
  let isOver = false;
  const load: Load = {
    permits: 0,
    lastPermitAtMs: 0,
    refusals: new Map(),
    redeemed: [],
    async end() {
      isOver = true;
      await Promise.all(clients);
    },
  };
  const took = (status: number, code: string, retryAfter: string | null): boolean => {
    if (status === 200) return true;
    load.refusals.set(code, (load.refusals.get(code) ?? 0) + 1);
    if (status === 503) expect(retryAfter).toBe('1');
    return false;
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let round = 0; !isOver; round += 1) {
      const grant = once[round % once.length];
      const asked = await server.ask(agent, text);
      if (took(asked.status, asked.body.error?.code, asked.headers.get('retry-after'))) {
        expect(asked.body.outcome).toBe('permitted');
        load.permits += 1;
        load.lastPermitAtMs = performance.now();
      } else await sleep(20);
      if (grant === undefined) continue;
      const redeemed = await server.redeem(agent, grant);
      if (took(redeemed.status, redeemed.body.error?.code, redeemed.headers.get('retry-after')))
        load.redeemed.push(grant.id);
    }
  });
  return load;
}

async function permitAfter(load: Load): Promise<number> {
  const sinceMs = performance.now();
  await expect.poll(() => load.lastPermitAtMs, { interval: 5, timeout: 60_000 }).toBeGreaterThan(sinceMs);
  return load.lastPermitAtMs - sinceMs;
}

async function allEvents(): Promise<readonly StoredAuditEvent[]> {
  const found: StoredAuditEvent[] = [];
  for (;;) {
    const page = await server.running.store.read((rows) => rows.events(found.length, 1_000));
    if (!page.ok) throw new Error(page.failure.message);
    if (page.value.length === 0) return found;
    found.push(...page.value);
  }
}

const approvedOnce = async (owner: Readonly<Record<string, string>>, text: string) => {
  const grant = await server.pending(agent, text);
  await server.decide(owner, grant.id, 'approve', ONCE);
  return grant;
};

it('a database that restarts, crashes, ends its connections or does not answer does not end a server', async () => {
  const owner = await server.owner();
  const standing = await server.pending(agent, 'covered');
  await server.decide(owner, standing.id, 'approve', ALWAYS);
  const once = [];
  for (let number = 0; number < 200; number += 1) once.push(await approvedOnce(owner, `once ${number}`));
  const awaited = await server.pending(agent, 'awaited');
  const waiters: EventReader[] = [];
  for (let count = 0; count < 4; count += 1)
    waiters.push(await readEvents(`${server.url}/v1/grants/${awaited.id}/events`, agent.headers));

  const load = startLoad('covered', once);
  await permitAfter(load);
  const afterMs: number[] = [];
  for (let round = 0; round < 3; round += 1)
    for (const trouble of [
      () => postgres.restart('SIGINT'),
      () => postgres.restart('SIGQUIT'),
      () => postgres.terminateConnections(database),
    ]) {
      await trouble();
      afterMs.push(await permitAfter(load));
    }
  const still = postgres.standStill();
  try {
    const answered = load.permits;
    await expect.poll(() => load.refusals.get('server.database_away') ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
    await sleep(14_000); // longer than the timeout of a statement
    expect(load.permits).toBeLessThanOrEqual(answered + CLIENTS);
  } finally {
    still.goOn();
  }
  afterMs.push(await permitAfter(load));
  await load.end();
  console.log(
    `first permit after (ms): ${afterMs.map(Math.round).join(' ')}; refusals ${JSON.stringify([...load.refusals])}`,
  );
  for (const ms of afterMs) expect(ms).toBeLessThan(SOON_MS);
  const known = ['server.database_away', 'server.busy', 'grant.used'];
  expect([...load.refusals.keys()].filter((code) => !known.includes(code))).toEqual([]);
  expect(load.refusals.get('server.database_away')).toBeGreaterThan(0);

  const decided = await server.decide(owner, awaited.id, 'approve', ONCE);
  expect(decided.status).toBe(200);
  for (const waiter of waiters) await waiter.until(({ data }) => data.state === 'approved');
  for (const waiter of waiters) waiter.close();

  const events = await allEvents();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const uses = (id: string) => events.filter(({ kind, grantId }) => kind === 'grant.used' && grantId === id);
  const stored = await server.running.store.read((rows) => rows.grant(standing.id));
  if (!stored.ok) throw new Error(stored.failure.message);
  expect(stored.value?.uses).toBe(uses(standing.id).length); // one event for each use
  expect(uses(standing.id).length).toBeGreaterThanOrEqual(load.permits); // no use that was answered is lost
  expect(new Set(load.redeemed).size).toBe(load.redeemed.length); // no grant was redeemed twice
  for (const { id } of once) expect(uses(id).length).toBeLessThanOrEqual(1);
  for (const id of load.redeemed) expect(uses(id)).toHaveLength(1);
});
