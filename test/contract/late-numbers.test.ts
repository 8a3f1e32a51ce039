/** On PostgreSQL, uses are committed without a number and get one later. No reader of the record misses a use. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantEvent, plainEvent } from '../../src/core/grant/audit-event.ts';
import { openCommitSignal } from '../../src/store/commit-signal.ts';
import { openStore } from '../../src/store/open-store.ts';
import { FIRST_MARK, type Store, type StoreReader } from '../../src/store/store.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { approved, must, NOW_MS, newSubject, sampleGrant } from './store-samples.ts';

let postgres: Postgres;
let url: string;
let stores: readonly [Store, Store];

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.newDatabase();
  stores = [must(await openStore(url)), must(await openStore(url))];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await postgres.stop();
});

const use = (store: Store, fact: string) =>
  store.write(async (rows) => rows.record(plainEvent('grant.used', null, NOW_MS, { fact })));
const decide = (store: Store, fact: string) =>
  store.write(async (rows) => rows.record(plainEvent('grant.approved', null, NOW_MS, { fact })));
const factsAfter = async (rows: StoreReader, seq: number) =>
  (await rows.events(seq, 1_000)).map(({ facts }) => facts['fact']);

/** The newest number, once all committed events are numbered. */
async function lastNumbered(store: Store): Promise<number> {
  return must(
    await store.read(async (rows) => {
      await rows.events(0, 1);
      return rows.lastSeq();
    }),
  );
}

async function query(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text);
  await client.end();
  return rows;
}

describe('a use', () => {
  it('is in the record at the next reading, on either server', async () => {
    const [first, second] = stores;
    const before = must(await first.read((rows) => rows.lastSeq()));
    expect(must(await use(first, 'here')).events).toEqual([]);
    expect(must(await second.read((rows) => factsAfter(rows, before)))).toEqual(['here']);
    must(await use(second, 'there'));
    expect(must(await second.read((rows) => factsAfter(rows, before)))).toEqual(['here', 'there']);
  });

  it('is counted and listed', async () => {
    const [store] = stores;
    const subject = await newSubject(store);
    const grant = approved(subject, { kind: 'always' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    must(await store.write(async (rows) => rows.record(grantEvent('grant.used', grant, subject.id, NOW_MS + 9))));
    const listed = must(
      await store.read(async (rows) => [
        (await rows.eventsOf(grant.id, 'grant.used', 9)).length,
        (await rows.history.seeUses({ limit: 1 }, { texts: [[]], hostParts: [], requesterId: null }))[0]?.grantId,
      ]),
    );
    expect(listed).toEqual([1, grant.id]);
  });

  it('of a standing grant is numbered soon, even if no program reads the record', async () => {
    const [store] = stores;
    const subject = await newSubject(store);
    const grant = approved(subject, { kind: 'always' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    const { requesterId, fingerprint } = grant;
    const used = await store.useStanding(
      { requests: [{ requesterId, fingerprint }], after: FIRST_MARK, nowMs: NOW_MS },
      () => ({
        used: [
          {
            grant: { ...grant, version: grant.version + 1, uses: 1, usedAtMs: NOW_MS },
            uses: 1,
            events: [grantEvent('grant.used', grant, subject.id, NOW_MS)],
          },
        ],
        value: null,
      }),
    );
    expect(must(used)).toEqual({ value: { value: null, counted: new Set([grant.id]) }, events: [] });
    const numbered = () => query(`select kind from events where grant_id = '${grant.id}'`);
    await expect.poll(numbered).toEqual([{ kind: 'grant.used' }]);
  });

  it('notifies the listeners, on this server and on the other', async () => {
    const [first, second] = stores;
    const told = [first, second].map((store) => {
      const heard = { count: 0, leave: () => {} };
      heard.leave = store.onUnseenEvents(() => {
        heard.count += 1;
      });
      return heard;
    });
    await expect.poll(() => told[1]?.count).toBeGreaterThan(0); // the second server listens now
    const before = told.map(({ count }) => count);
    must(await use(first, 'told'));
    await expect.poll(() => told.every(({ count }, index) => count > (before[index] ?? 0))).toBe(true);
    for (const { leave } of told) leave();
  });

  it('is notified after all if the connection breaks while the notice is sent', async () => {
    const wires: { readonly near: Socket; readonly far: Socket }[] = [];
    const wire = createServer((near) => {
      const far = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
      for (const end of [near, far]) end.on('error', () => undefined);
      near.pipe(far).pipe(near);
      wires.push({ near, far });
    });
    await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
    const behind = new URL(url);
    behind.port = String((wire.address() as AddressInfo).port);
    const sender = openCommitSignal(() => new pg.Client({ connectionString: behind.href }));
    const receiver = openCommitSignal(() => new pg.Client({ connectionString: url }));
    let [connections, heard] = [0, 0];
    sender.listen(() => {
      connections += 1;
    });
    receiver.listen(() => {
      heard += 1;
    });
    await expect.poll(() => [connections, heard]).toEqual([1, 1]);
    const [{ near, far }] = wires as [(typeof wires)[0]];
    near
      .unpipe(far)
      .once('data', () => near.destroy())
      .resume(); // the notice gets so far, and no further
    sender.committed();
    await expect.poll(() => connections).toBe(2);
    await expect.poll(() => heard).toBe(2);
    sender.close();
    receiver.close();
    far.destroy();
    wire.close();
  });

  it('gets its number at once if its transaction also records something else', async () => {
    const [store] = stores;
    const { events } = must(
      await store.write(async (rows) => {
        rows.record(plainEvent('grant.used', null, NOW_MS));
        rows.record(plainEvent('grant.approved', null, NOW_MS));
      }),
    );
    expect(events.map(({ kind }) => kind)).toEqual(['grant.used', 'grant.approved']);
  });

  it('is numbered before what another server decided after it', async () => {
    const [first, second] = stores;
    const before = must(await first.read((rows) => rows.lastSeq()));
    for (let round = 0; round < 30; round += 1) {
      must(await use(first, `use ${round}`));
      must(await decide(second, `decision ${round}`));
    }
    const expected = Array.from({ length: 30 }, (_, round) => [`use ${round}`, `decision ${round}`]).flat();
    expect(must(await first.read((rows) => factsAfter(rows, before)))).toEqual(expected);
  });

  it('without a number, left behind by a server that died, is in the record that another server reads', async () => {
    const [store] = stores;
    const before = must(await store.read((rows) => rows.lastSeq()));
    await query(
      `insert into unnumbered_events (id, at_ms, kind, facts) values ('0', 1, 'grant.used', '{"fact":"left"}')`,
    );
    expect(must(await store.read((rows) => factsAfter(rows, before)))).toEqual(['left']);
    expect(await query('select * from unnumbered_events')).toEqual([]);
  });

  it('is read however many uses wait for a number, and while more arrive', async () => {
    const [first, second] = stores;
    await query(`insert into unnumbered_events (id, at_ms, kind, facts)
      select n::text, 1, 'grant.used', '{"fact":"many"}' from generate_series(10001, 12500) as n`);
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await use(second, 'more');
    })();
    const before = must(await first.read((rows) => rows.lastSeq()));
    let many = 0;
    for (let after = before; many < 2_500; ) {
      const events = must(await first.read((rows) => rows.events(after, 1_000)));
      many += events.filter(({ facts }) => facts['fact'] === 'many').length;
      after = events.at(-1)?.seq ?? after;
    }
    isWriting = false;
    await writing;
    expect(many).toBe(2_500);
  });

  it.each([999, 1_000, 1_001, 2_000])(
    'is numbered before a decision, also if %i uses wait for a number',
    async (count) => {
      const [store] = stores;
      const before = await lastNumbered(store);
      await query(`insert into unnumbered_events (id, at_ms, kind, facts)
      select n::text, 1, 'grant.used', json_build_object('fact', n::text) from generate_series(10001, 10000 + ${count}) as n`);
      const { events } = must(
        await store.write(async (rows) => {
          for (const fact of ['first', 'second']) rows.record(plainEvent('grant.approved', null, NOW_MS, { fact }));
        }),
      );
      expect(events.map(({ seq, facts }) => [seq - before, facts['fact']])).toEqual([
        [count + 1, 'first'],
        [count + 2, 'second'],
      ]);
      const written = must(await store.read((rows) => rows.events(before + count - 1, 1_000)));
      expect(written.map(({ seq, facts }) => [seq - before, facts['fact']])).toEqual([
        [count, String(10_000 + count)],
        [count + 1, 'first'],
        [count + 2, 'second'],
      ]);
    },
  );

  it('that is committed while a decision waits for its turn is numbered before that decision', async () => {
    const [store] = stores;
    const before = await lastNumbered(store);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin; select seq from event_head where id = 1 for update');
    const deciding = decide(store, 'decision');
    await expect
      .poll(() =>
        query(`select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
      )
      .toHaveLength(1);
    await query(
      `insert into unnumbered_events (id, at_ms, kind, facts) values ('0', 1, 'grant.used', '{"fact":"use"}')`,
    );
    await other.query('commit');
    await other.end();
    must(await deciding);
    expect(must(await store.read((rows) => factsAfter(rows, before)))).toEqual(['use', 'decision']);
  });

  it('without a number is no fault for the check of the database', async () => {
    const [store] = stores;
    const subject = await newSubject(store);
    const grant = sampleGrant(subject, { id: 'g_unnumbered' });
    must(await store.write((rows) => rows.insertGrant({ ...grant, uses: 1 })));
    await query(
      `insert into unnumbered_events (id, at_ms, kind, grant_id, facts) values ('0', 1, 'grant.used', '${grant.id}', '{}')`,
    );
    expect(must(await store.check()).filter((fault) => fault.includes(grant.id))).toEqual([]);
  });
});

it('with two servers that write uses and decisions, a reader gets each once, in one order without gaps', async () => {
  const start = must(await stores[0].read((rows) => rows.lastSeq()));
  const COUNT = 120;
  let isWriting = true;
  const writers = stores.flatMap((store, server) =>
    [use, decide].map(async (write, kind) => {
      for (let number = 0; number < COUNT; number += 1) must(await write(store, `${server}.${kind}.${number}`));
    }),
  );
  const readers = stores.map(async (store) => {
    const seen: { readonly seq: number; readonly fact: unknown }[] = [];
    for (let isLast = false; ; ) {
      const after = seen.at(-1)?.seq ?? start;
      const events = must(await store.read((rows) => rows.events(after, 50)));
      for (const { seq, facts } of events) seen.push({ seq, fact: facts['fact'] });
      if (events.length > 0) continue;
      if (isLast) return seen;
      isLast = !isWriting;
    }
  });
  await Promise.all(writers);
  isWriting = false;
  const expected = stores.flatMap((_, server) =>
    [0, 1].flatMap((kind) => Array.from({ length: COUNT }, (__, number) => `${server}.${kind}.${number}`)),
  );
  for (const seen of await Promise.all(readers)) {
    expect(seen.map(({ seq }) => seq)).toEqual(expected.map((_, index) => start + 1 + index));
    expect(seen.map(({ fact }) => fact).toSorted()).toEqual(expected.toSorted());
  }
});
