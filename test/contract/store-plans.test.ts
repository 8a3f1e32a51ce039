/**
 * The time of a call must not grow with the history of its requester. The test collects the statements that the store sends, and asks
 * a filled database for the query plan of each statement.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { openStore } from '../../src/store/open-store.ts';
import type { RetentionClass } from '../../src/store/retention-rows.ts';
import type { Store, StoreReader, Subject } from '../../src/store/store.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { approved, COMMAND_SCOPE, must, NOW_MS, newSubject, sampleGrant } from './store-samples.ts';

const ROWS = 100_000;
/** The mark of one of the last events that `fill` makes. */
const MARK = { seq: ROWS - 10, atMs: NOW_MS - 10 };
/** The number of approvals that are still live, and the number of those that have ended. */
const STANDING = 10_000;

const SEARCH = { texts: [['zebra', 'x']], hostParts: ['box'] };

/** Reads that happen all the time, and reads that a person or a program asks for. */
const OPERATIONS: Readonly<Record<string, (rows: StoreReader, subject: Subject) => Promise<unknown>>> = {
  'the pending request of a fingerprint': (rows, { id }) => rows.pendingGrant(id, 'f'.repeat(64), NOW_MS),
  'the approvals of a fingerprint': (rows, { id }) => rows.coveringGrants(id, 'f'.repeat(64), NOW_MS),
  'the number of waiting requests, and their bytes': (rows, { id }) => rows.pendingOf(id, NOW_MS),
  'what waits, in turns by requester': (rows) => rows.waitingInTurns(50, NOW_MS),
  'the number of repetitions of each request': (rows) => rows.repeats(['g_old1', 'g_old2', 'g_on3'], 99),
  'the denials of a request': (rows) => rows.eventsOf('g_old1', 'grant.denied', 50),
  'the first scoped use': (rows, { id }) => rows.scopedGrants(id, NOW_MS),
  'what changed standing grants': (rows) => rows.standingChanges(MARK),
  'the evidence': (rows, { id }) => rows.pastRequests(id, 200),
  'the list of a requester': (rows, { id }) => rows.grants({ requesterId: id, limit: 50, nowMs: NOW_MS }),
  'the list of a requester in a state without grants': (rows, { id }) =>
    rows.grants({ requesterId: id, states: ['denied'], limit: 50, nowMs: NOW_MS }),
  'the list of a state without grants': (rows) => rows.grants({ states: ['revoked'], limit: 50, nowMs: NOW_MS }),
  'the standing approvals': (rows) => rows.grants({ isStanding: true, limit: 51, nowMs: NOW_MS }),
  'the standing approvals far back': (rows) =>
    rows.grants({ isStanding: true, beforeMs: NOW_MS - STANDING + 10, beforeId: 'g_', limit: 51, nowMs: NOW_MS }),
  'history far back': (rows) => rows.grants({ beforeMs: NOW_MS - ROWS + 10, beforeId: 'g_', limit: 50, nowMs: NOW_MS }),
  'history that a search looks through': (rows) =>
    rows.history.seeGrants(
      { beforeMs: NOW_MS - ROWS + 2_000, beforeId: 'g_', limit: 1_000, nowMs: NOW_MS },
      { ...SEARCH, idPrefix: 'g_abcd' },
    ),
  'history of a requester that a search looks through': (rows, { id }) =>
    rows.history.seeGrants({ requesterId: id, limit: 1_000, nowMs: NOW_MS }, { ...SEARCH, idPrefix: null }),
  'uses that a search looks through': (rows, { id }) =>
    rows.history.seeUses(
      { beforeMs: NOW_MS - ROWS + 2_000, beforeSeq: 5, limit: 1_000 },
      { ...SEARCH, requesterId: id },
    ),
  'uses that a search has found': (rows) => rows.history.usesBySeq([5, 17, 90_000]),
  'scopes of uses': (rows) => rows.history.scopesOf(['g_on1', 'g_on2']),
  'approvals that knew these variables': (rows, { id }) => rows.hasApprovedDeciding(id, 'd'.repeat(64), null),
  'the next expiry': (rows) => rows.nextExpiryMs(NOW_MS),
  'events to notify of': (rows) => rows.notifications.notableEvents(ROWS - 10, 100),
  'notifications that are due': (rows) => rows.notifications.dueJobs(NOW_MS, 200, ['n_1']),
  'events after a given number': (rows) => rows.events(ROWS - 10, 100),
};

/** Each of these is two lists, which are read by an index and merged. */
const STANDING_LISTS = ['the standing approvals', 'the standing approvals far back'];

/** What retention looks for before it removes rows. */
const TURN = { beforeMs: NOW_MS - ROWS + 10, fromMs: 0, nowMs: NOW_MS, limit: 5 };
const REMOVALS: Readonly<Record<string, RetentionClass>> = {
  'requests that are old': 'requests',
  'uses that are old': 'uses',
  'other events that are old': 'events',
};
const USES = 'uses of a standing grant';
const USES_AGAIN = 'uses of a standing grant that this server has used before';
const OF_ONE_GRANT = [
  'the pending request of a fingerprint',
  'the approvals of a fingerprint',
  'the number of repetitions of each request',
  'the denials of a request',
];
/** The indexes that find one grant or event, or the few events that change standing grants. */
const BY_KEY = new Set(['grants_lookup', 'grants_pkey', 'events_pkey', 'events_of_grant', 'events_standing']);
/** The number of statements of a use on PostgreSQL: the first one reads the grant and counts the use, later ones only count. */
const STATEMENTS: Readonly<Record<string, number>> = { [USES]: 2, [USES_AGAIN]: 1 };
const NAMES = [...Object.keys(OPERATIONS), ...Object.keys(REMOVALS), USES, USES_AGAIN];

const standingGrant = (subject: Subject) => approved(subject, { kind: 'always' }, { fingerprint: 'e'.repeat(64) });

async function useStandingGrant(store: Store, { id }: Subject): Promise<void> {
  const requests = [{ requesterId: id, fingerprint: 'e'.repeat(64) }];
  const used = await store.useStanding({ requests, after: MARK, nowMs: NOW_MS }, ({ grants }) => ({
    used: grants.map((grant) => ({
      grant: { ...grant, version: grant.version + 1, uses: grant.uses + 1 },
      uses: 1,
      events: [],
    })),
    value: null,
  }));
  expect(must(used).value.counted.size).toBe(1);
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The list of the statements of the operation that runs. */
const listed = new AsyncLocalStorage<Statement[]>();

/**
 * Returns the statements that `work` itself sends. On PostgreSQL, a store numbers the events of each use later, in the background, so it may
 * send the statements for an earlier use while `work` runs. Those are not in the list.
 */
async function statementsIn(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  const sent: Statement[] = [];
  await listed.run(sent, work);
  return [...sent];
}

async function statementsOf(store: Store, subject: Subject, name: string): Promise<readonly Statement[]> {
  if (name === USES_AGAIN) await useStandingGrant(store, subject);
  const removal = REMOVALS[name];
  const operation = OPERATIONS[name];
  const sent = await statementsIn(async () => {
    if (name === USES || name === USES_AGAIN) await useStandingGrant(store, subject);
    else if (removal !== undefined) must(await store.write((rows) => rows.retention.removeOld(removal, TURN)));
    else if (operation !== undefined) must(await store.read((rows) => operation(rows, subject)));
    else throw new Error(name);
  });
  return sent.filter(({ text }) => /^\s*(?:select|with)/i.test(text));
}

const columns = `id, version, state, requester_id, requester_name, request, fingerprint, proposed_term, created_at_ms, expires_at_ms, lapses_at_ms, uses`;
const request = JSON.stringify(sampleGrant({ host: 'box', user: 'agent' } as Subject).request);

/** Expired requests, one in each millisecond, live approvals, ended approvals, and uses of one grant, which has most of the events. */
const fill = (numbers: string, subject: Subject) => [
  `insert into grants (${columns}) select 'g_old' || n, 1, 'pending', '${subject.id}', 'agent', '${request}', 'x' || n, '{"kind":"once"}',
    ${NOW_MS} - n, ${NOW_MS} - n, ${NOW_MS} - n, 0 from ${numbers}`,
  `insert into grants (${columns}, term_kind) select 'g_on' || n, 2, 'approved', '${subject.id}', 'agent', '${request}', 'on' || n, '{"kind":"once"}',
    ${NOW_MS} - n, ${NOW_MS} - n, null, 0, 'always' from ${numbers} where n <= ${STANDING}`,
  `insert into grants (${columns}, term_kind) select 'g_end' || n, 2, 'approved', '${subject.id}', 'agent', '${request}', 'end' || n, '{"kind":"once"}',
    ${NOW_MS} - n, ${NOW_MS} - n, ${NOW_MS} - n, 0, 'timed' from ${numbers} where n <= ${STANDING}`,
  `insert into grants (${columns}, term_kind, approved_deciding) select 'g_var' || n, 2, 'used', '${subject.id}', 'agent', '${request}', 'var' || n,
    '{"kind":"once"}', ${NOW_MS} - n, ${NOW_MS} - n, ${NOW_MS} - n, 1, 'once', '${'d'.repeat(64)}' from ${numbers} where n <= ${2 * STANDING}`,
  `insert into events (seq, at_ms, kind, grant_id, facts) select n, ${NOW_MS} - ${ROWS} + n, 'grant.used', 'g_on1', '{}' from ${numbers}`,
];

describe('on a filled SQLite file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ape-plans-'));
  const path = join(directory, 'grants.db');
  const { prepare } = Database.prototype;
  let store: Store;
  let subject: Subject;
  let file: Database.Database;
  beforeAll(async () => {
    const first = must(await openStore(path));
    subject = await newSubject(first);
    await first.close();
    file = new Database(path);
    const numbers = `(with recursive c(n) as (select 1 union all select n + 1 from c where n < ${ROWS}) select n from c)`;
    for (const text of fill(numbers, subject)) file.exec(text);
    file.exec(`update event_head set seq = ${ROWS}`);
    Database.prototype.prepare = function (this: Database.Database, text: string) {
      const statement = prepare.call(this, text);
      return new Proxy(statement, {
        get(target, name) {
          const value = Reflect.get(target, name, target) as unknown;
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            if (name === 'all') listed.getStore()?.push({ text, values: given.flat() });
            return (value as (...all: unknown[]) => unknown).apply(target, given);
          };
        },
      });
    } as typeof prepare;
    store = must(await openStore(path));
    const scoped = approved(subject, { kind: 'always' }, { scope: COMMAND_SCOPE });
    must(await store.write((rows) => rows.insertGrant(scoped)));
    must(await store.write((rows) => rows.insertGrant(standingGrant(subject))));
  });
  afterAll(async () => {
    Database.prototype.prepare = prepare;
    await store.close();
    file.close();
    removeDirectory(directory);
  });

  it.each(NAMES)('%s is found by an index', async (name) => {
    const statements = await statementsOf(store, subject, name);
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, values } of statements) {
      const plan = prepare.call(file, `explain query plan ${text}`).all(values) as { readonly detail: string }[];
      const details = plan.map(({ detail }) => detail);
      // A list without a state is read in its own order, and ends at its limit.
      const walks = details.filter((detail) =>
        /^SCAN (?:grants|events)\b(?!.* USING (?:COVERING )?INDEX)/.test(detail),
      );
      expect([text, walks]).toEqual([text, []]);
      // These sort a few rows that an index has found.
      if (
        ![
          'what waits, in turns by requester',
          'the next expiry',
          'the evidence',
          'uses that a search has found',
          ...STANDING_LISTS,
        ].includes(name)
      )
        expect([text, details.filter((detail) => detail === 'USE TEMP B-TREE FOR ORDER BY')]).toEqual([text, []]);
      if (STANDING_LISTS.includes(name) && text.includes('order by'))
        for (const index of ['grants_endless', 'grants_lapsing'])
          expect(details.join()).toMatch(new RegExp(` INDEX ${index}\\b`));
      for (const detail of details)
        if (/USING INDEX grants_of_requester \(requester_id=\?\)/.test(detail))
          expect([
            'the list of a requester',
            'the evidence',
            'history of a requester that a search looks through',
          ]).toContain(name); // all requests of the requester
    }
  });

  it.each(NAMES)('%s takes milliseconds', async (name) => {
    const startedMs = performance.now();
    await statementsOf(store, subject, name);
    const tookMs = performance.now() - startedMs;
    console.log(`${name}: ${tookMs.toFixed(1)} ms`);
    expect(tookMs).toBeLessThan(5_000);
  });
});

describe('on a filled PostgreSQL database', () => {
  let postgres: Postgres;
  let url: string;
  let store: Store;
  let subject: Subject;
  let client: pg.Client;
  const { query } = pg.Client.prototype;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
    store = must(await openStore(url));
    subject = await newSubject(store);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('alter table grants set (autovacuum_enabled = false)');
    const filling = fill(`generate_series(1, ${ROWS}) as c(n)`, subject);
    const isFirst = (text: string) => /'g_old'|into events/.test(text);
    for (const text of filling.filter(isFirst)) await client.query(text);
    await client.query('analyze'); // the statistics do not know the approvals that follow
    for (const text of filling.filter((each) => !isFirst(each))) await client.query(text);
    await client.query(`update event_head set seq = ${ROWS}`);
    must(await store.write((rows) => rows.insertGrant(standingGrant(subject))));
    const ask = query as unknown as (...given: unknown[]) => unknown;
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      const [config, values] = given as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
      const statement = typeof config === 'string' ? { text: config, values } : config;
      listed.getStore()?.push({ text: statement.text, values: statement.values ?? [] });
      return ask.apply(this, given);
    } as typeof query;
  });
  afterAll(async () => {
    pg.Client.prototype.query = query;
    await client.end();
    await store.close();
    await postgres.stop();
  });

  /** Returns the plan that a connection keeps: PostgreSQL chooses it after five runs, and it may be one for any values. */
  async function keptPlan(text: string, values: readonly unknown[]): Promise<string> {
    const given = values.map((value) => (value === null ? 'null' : client.escapeLiteral(String(value)))).join(', ');
    const call = `zz${values.length === 0 ? '' : `(${given})`}`;
    await client.query(`prepare zz as ${text}`);
    // Each run is undone, so that all find the same rows.
    for (let run = 0; run < 6; run += 1) await client.query(`begin; execute ${call}; rollback`);
    const { rows } = await client.query(`explain execute ${call}`);
    await client.query('deallocate zz');
    return rows.map((row: Record<string, string>) => row['QUERY PLAN'] ?? '').join('\n');
  }

  it.each([...OF_ONE_GRANT, USES, USES_AGAIN])(
    '%s is found by its key although the statistics are old',
    async (name) => {
      const statements = await statementsOf(store, subject, name);
      if (name in STATEMENTS) expect(statements).toHaveLength(STATEMENTS[name] ?? 0);
      for (const { text, values } of statements) {
        const plan = await keptPlan(text, values);
        const scans = [...plan.matchAll(/(?: using | Bitmap Index Scan on |Seq Scan on )((?:grants|events)\w*)/g)].map(
          ([, scanned]) => scanned,
        );
        expect([text, scans.filter((scanned) => !BY_KEY.has(scanned ?? ''))]).toEqual([text, []]);
      }
    },
  );

  it('all grants are compared with the record although the statistics are old', async () => {
    expect(must(await store.check()).join()).toContain('g_on'); // a failure if a statement takes longer than its time limit
  });

  describe('with new statistics', () => {
    beforeAll(async () => {
      await client.query('analyze');
      await store.close();
      store = must(await openStore(url)); // it has not used the standing grant before
    });

    it.each(NAMES)('%s is found by an index', async (name) => {
      const statements = await statementsOf(store, subject, name);
      if (name in STATEMENTS) expect(statements).toHaveLength(STATEMENTS[name] ?? 0);
      for (const { text, values } of statements) {
        const plan = await keptPlan(text, values);
        expect([text, /Seq Scan on (?:grants|events)/.exec(plan)?.[0]]).toEqual([text, undefined]);
        if (STANDING_LISTS.includes(name) && text.includes('order by')) {
          expect(plan).toMatch(/ Index Scan using grants_lapsing /);
          // The rows are not sorted, so only as many are read as the page shows.
          expect(plan).toMatch(/Limit[^\n]*\n\s*->\s+Index (?:Only )?Scan using grants_endless /);
        }
      }
    });
  });

  it('uses of a standing grant that another server has used meanwhile take one statement', async () => {
    const other = must(await openStore(url));
    for (const each of [store, other]) await useStandingGrant(each, subject);
    for (const each of [other, store, other])
      expect(await statementsIn(() => useStandingGrant(each, subject))).toHaveLength(1);
    await other.close();
  });
});
