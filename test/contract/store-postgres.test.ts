/** The PostgreSQL store keeps the promises of the store suite, also with several processes and after a crash of the database. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { newStandingUses } from '../../src/store/postgres-standing-uses.ts';
import { FIRST_MARK, type Store } from '../../src/store/store.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { approved, expectEnded, must, newSubject, OLDER_ENROLMENTS, OLDER_SCHEMAS } from './store-samples.ts';
import { describeStore } from './store-suite.ts';
import { bundleWorker } from './worker.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describeStore('PostgreSQL', async () => {
  const url = await postgres.newDatabase();
  const open = async () => must(await openStore(url));
  const stores = (await Promise.all([open(), open(), open()])) as [Store, Store, Store];
  return {
    stores,
    async close() {
      for (const store of stores) await store.close();
    },
  };
});

describe('a PostgreSQL database', () => {
  it('lets six processes use a once grant exactly once', async () => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const grant = approved(await newSubject(store), { kind: 'once' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    const workers = bundleWorker('test/contract/use-grant-worker.ts');
    const outputs = await workers.run(Array.from({ length: 6 }, () => [url, grant.id]));
    workers.remove();
    expect(outputs.toSorted()).toEqual(['refused', 'refused', 'refused', 'refused', 'refused', 'used']);
    await store.close();
  });

  it.each(OLDER_SCHEMAS)('written before %s is upgraded, with its grants unchanged', async (_, undo) => {
    const url = await postgres.newDatabase();
    const first = must(await openStore(url));
    const grant = approved(await newSubject(first), { kind: 'always' });
    must(await first.write((rows) => rows.insertGrant(grant)));
    await first.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(undo);
    await client.end();
    const second = must(await openStore(url));
    expect(must(await second.read((rows) => rows.grant(grant.id)))).toEqual(grant);
    expect(must(await second.read((rows) => rows.scopedGrants(grant.requesterId, grant.createdAtMs)))).toEqual([]);
    await second.close();
  });

  it('written before codes had nonces is upgraded, and its pending enrolments end', async () => {
    const url = await postgres.newDatabase();
    await must(await openStore(url)).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(OLDER_ENROLMENTS);
    await client.end();
    const store = must(await openStore(url));
    await expectEnded(store);
    await store.close();
  });

  it('has room in the pages of grants, so that a use changes no index', async () => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const grant = approved(await newSubject(store), { kind: 'always' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    for (let uses = 1; uses <= 5; uses += 1)
      must(await store.write((rows) => rows.replaceGrant({ ...grant, version: grant.version + uses, uses })));
    await store.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const updates = async () =>
      (await client.query("select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'grants'")).rows;
    await expect.poll(updates).toEqual([{ n_tup_upd: '5', n_tup_hot_upd: '5' }]);
    const { rows } = await client.query("select reloptions from pg_class where relname = 'grants'");
    expect(rows).toEqual([{ reloptions: ['fillfactor=70'] }]);
    await client.end();
  });

  it('keeps its connections for a person who comes back after 11 s', async () => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const connections = async () => {
      const { rows } = await client.query<{ readonly pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and application_name = 'ape-shell' order by pid",
      );
      return rows.map(({ pid }) => pid);
    };
    const readers = Array.from({ length: 4 }, () => store.read((rows) => rows.pendingEnrolments(Date.now())));
    for (const each of readers) must(await each);
    const before = await connections();
    expect(before.length).toBeGreaterThan(2);
    await sleep(11_000);
    expect(await connections()).toEqual(before);
    await client.end();
    await store.close();
  });

  it('is read and written on after another server has added columns and tables', async () => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const requester = await newSubject(store);
    const grant = approved(requester, { kind: 'always' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    const { requesterId, fingerprint } = grant;
    const question = { requests: [{ requesterId, fingerprint }], after: FIRST_MARK, nowMs: grant.createdAtMs };
    const use = async () => {
      const used = await store.useStanding(question, ({ grants }) => ({
        used: grants.map((each) => ({
          grant: { ...each, version: each.version + 1, uses: each.uses + 1 },
          uses: 1,
          events: [],
        })),
        value: null,
      }));
      expect(must(used).value.counted.size).toBe(1);
    };
    // Many at once, so that each connection of the pool has prepared the statements.
    const readAll = () =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          expect(must(await store.read((rows) => rows.grant(grant.id)))?.id).toBe(grant.id);
          expect(must(await store.read((rows) => rows.subject(requester.id)))).toEqual(requester);
        }),
      );
    for (let turn = 0; turn < 3; turn += 1) await Promise.all([use(), readAll()]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('alter table grants add column newer text; alter table subjects add column newer text');
    await client.end();
    for (let turn = 0; turn < 3; turn += 1) await Promise.all([use(), readAll()]);
    await store.close();
  });

  it.each([
    ['pause', (id: string) => `insert into requester_pauses (requester_id, since_ms, reason) values ('${id}', 1, 'x')`],
    ['revocation of the requester', (id: string) => `update subjects set revoked_at_ms = 1 where id = '${id}'`],
    ['new rule', () => `insert into events (seq, at_ms, kind, facts) values (1000000, 1, 'policy.created', '{}')`],
    ['newer list of approvers', () => `insert into approver_lists (sequence, list) values (1000000, '{}')`],
  ])('counts no use after a %s that came after the read of the grants', async (_name, change) => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const grant = approved(await newSubject(store), { kind: 'always' });
    must(await store.write((rows) => rows.insertGrant(grant)));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const texts: string[] = [];
    let isChanged = false;
    const execute = async (text: string, values: readonly unknown[]) => {
      if (texts.push(text) === 2 && !isChanged) {
        isChanged = true;
        await client.query(change(grant.requesterId));
      }
      const { rows, rowCount } = await client.query(text, [...values]);
      return { rows, changes: rowCount ?? 0 };
    };
    const question = { requests: [grant], after: FIRST_MARK, nowMs: grant.createdAtMs };
    const used = await newStandingUses()(execute, question, () => ({
      used: [{ grant: { ...grant, version: grant.version + 1, uses: 1 }, uses: 1, events: [] }],
      value: null,
    }));
    expect([texts.length, used.counted]).toEqual([2, new Set()]);
    expect(must(await store.read((rows) => rows.grant(grant.id)))?.uses).toBe(0);
    await client.end();
    await store.close();
  });

  it('written by a newer version is refused', async () => {
    const url = await postgres.newDatabase();
    await must(await openStore(url)).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('update schema_version set version = 99');
    await client.end();
    expect(await openStore(url)).toMatchObject({
      ok: false,
      failure: { code: 'configuration', detail: 'store.newer' },
    });
  });

  it('that does not exist is one clear failure, without a password in it', async () => {
    const url = (await postgres.newDatabase()).replace('ape@', 'ape:secret@').replace(/\/ape\d+$/, '/nowhere');
    const opened = await openStore(url);
    expect(opened).toMatchObject({ ok: false, failure: { code: 'configuration', detail: 'store.refused' } });
    expect(JSON.stringify(opened)).not.toContain('secret');
  });

  it('that cannot be written is reported as read-only', async () => {
    const url = await postgres.newDatabase();
    await must(await openStore(url)).close();
    const opened = await openStore(`${url}?options=-c%20default_transaction_read_only%3Don`);
    expect(opened).toMatchObject({ ok: false, failure: { code: 'configuration', detail: 'store.read_only' } });
  });

  it('that crashes is unavailable, and is used again when it is back', async () => {
    const url = await postgres.newDatabase();
    const store = must(await openStore(url));
    const subject = await newSubject(store);
    await postgres.restart();
    // Each connection that died meanwhile may fail once. No connection hangs, and no connection fails for another reason.
    let outcome = await store.read((rows) => rows.subject(subject.id));
    for (let tries = 0; !outcome.ok && tries < 10; tries += 1) {
      expect(outcome.failure).toMatchObject({ code: 'unavailable', detail: 'store.away' });
      outcome = await store.read((rows) => rows.subject(subject.id));
    }
    expect(must(outcome)).toEqual(subject);
    await store.close();
  });

  it('without a server is unavailable', async () => {
    const opened = await openStore('postgres://ape@127.0.0.1:1/ape');
    expect(opened).toMatchObject({ ok: false, failure: { code: 'unavailable', detail: 'store.away' } });
  });
});
