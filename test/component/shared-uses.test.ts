/**
 * Requests that arrive at the same moment use their grants in one shared transaction. Each use is counted and recorded once. A
 * request that would be refused in a transaction of its own is refused here too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SealedApprovers, SealedDecision } from '../../src/core/wire/sealed.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { must } from '../contract/store-samples.ts';
import { nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

const AT_ONCE = 40;
const ALWAYS = { version: 1, term: { kind: 'always' } };

describe.each(['SQLite', 'PostgreSQL'])('on %s', (kind) => {
  let postgres: Postgres | null = null;
  let database: string | null = null;
  let server: TestServer;
  let owner: Readonly<Record<string, string>>;
  let agents: readonly Person[];
  beforeAll(async () => {
    if (kind === 'PostgreSQL') postgres = await startPostgres();
    database = postgres === null ? null : await postgres.newDatabase();
    server = await TestServer.start(database === null ? {} : { database });
    owner = await server.owner();
    agents = [await server.requester('one'), await server.requester('two'), await server.requester('three')];
  });
  afterAll(async () => {
    await server.stop();
    await postgres?.stop();
  });

  const of = (index: number): Person => agents[index % agents.length] as Person;
  const askAtOnce = (count: number, text: string) =>
    Promise.all(Array.from({ length: count }, (_, index) => server.ask(of(index), text)));
  async function approved(agent: Person, text: string, body: object = ALWAYS): Promise<string> {
    const { id } = await server.pending(agent, text);
    expect((await server.decide(owner, id, 'approve', body)).status).toBe(200);
    return id;
  }
  const grantOf = async (id: string) => must(await server.running.store.read((rows) => rows.grant(id)));
  const usesOnRecord = async (id: string) =>
    must(await server.running.store.read((rows) => rows.eventsOf(id, 'grant.used', 1_000))).map(
      ({ facts }) => facts['uses'],
    );

  it('each of many parallel calls is counted, and recorded with its own number', async () => {
    const ids = await Promise.all(agents.map((agent) => approved(agent, 'date')));
    const answers = await askAtOnce(AT_ONCE * agents.length, 'date');
    expect(answers.map(({ body }) => body.outcome)).toEqual(Array(AT_ONCE * agents.length).fill('permitted'));
    const permits = new Set(answers.map(({ body }) => (body.outcome === 'permitted' ? body.permit : '')));
    expect(permits.size).toBe(answers.length);
    for (const id of ids) {
      expect((await grantOf(id))?.uses).toBe(AT_ONCE);
      const numbers = (await usesOnRecord(id)).map(Number).toSorted((left, right) => left - right);
      expect(numbers).toEqual(Array.from({ length: AT_ONCE }, (_, index) => index + 1));
    }
  });

  it('one of many equal requests uses a `once` grant, and the others wait as one request', async () => {
    const id = await approved(of(0), 'uptime', { version: 1, term: { kind: 'once' } });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => server.ask(of(0), 'uptime')));
    expect(answers.filter(({ body }) => body.outcome === 'permitted')).toHaveLength(1);
    expect(answers.filter(({ body }) => body.outcome === 'pending' && body.filed)).toHaveLength(1);
    expect(await grantOf(id)).toMatchObject({ state: 'used', uses: 1 });
  });

  it('a standing grant is used before a `once` grant', async () => {
    const single = await approved(of(0), 'whoami', { version: 1, term: { kind: 'once' } });
    const before = await grantOf(single);
    if (before === undefined) throw new Error('the grant is gone');
    const standing = `g_standing_${kind}`;
    must(
      await server.running.store.write((rows) =>
        rows.insertGrant({ ...before, id: standing, term: { kind: 'always' } }),
      ),
    );
    expect((await server.ask(of(0), 'whoami')).body.outcome).toBe('permitted');
    expect(await grantOf(standing)).toMatchObject({ uses: 1 });
    expect(await grantOf(single)).toMatchObject({ state: 'approved', uses: 0 });
  });

  it('no grant is used for another request or user, after its end or revocation, or for a paused requester', async () => {
    const id = await approved(of(0), 'id');
    const refused: (string | undefined)[] = [];
    const ask = async (by: Person, text: string, more = {}) => {
      const { body } = await server.ask(by, text, more);
      refused.push(body.outcome ?? (body as { error?: { code: string } }).error?.code);
    };
    await Promise.all([ask(of(1), 'id'), ask(of(0), 'id '), ask(of(0), 'id', { cwd: '/tmp' })]);
    await server.call('POST', `/v1/requesters/${of(0).id}/pause`, owner, {});
    await Promise.all(Array.from({ length: 5 }, () => ask(of(0), 'id')));
    await server.resume(owner, of(0));
    expect((await server.ask(of(0), 'id')).body.outcome).toBe('permitted');
    expect((await server.decide(owner, id, 'revoke', { version: (await grantOf(id))?.version })).status).toBe(200);
    await Promise.all(Array.from({ length: 5 }, () => ask(of(0), 'id')));
    expect(refused).toEqual([
      ...['pending', 'pending', 'pending'],
      ...Array(5).fill('requester.paused'),
      ...Array(5).fill('pending'),
    ]);
    expect((await grantOf(id))?.uses).toBe(1);
  });

  it.each(['always', 'once'])(
    'no grant (%s) is used for a requester that is revoked after its token was checked',
    async (term) => {
      const agent = await server.requester(`revoked-${term}`);
      const id = await approved(agent, 'nproc', { version: 1, term: { kind: term } });
      const { store } = server.running;
      // The use of standing grants is the first step after the check of the token.
      const { useStanding } = store;
      store.useStanding = async (question, decide) => {
        must(await store.write((rows) => rows.revokeSubject(agent.id, Date.now())));
        return useStanding.call(store, question, decide) as ReturnType<typeof useStanding<never>>;
      };
      const { status, body } = await server.ask(agent, 'nproc');
      store.useStanding = useStanding;
      expect([status, body]).toMatchObject([401, { error: { code: 'auth.expired' } }]);
      expect(await grantOf(id)).toMatchObject({ state: 'approved', uses: 0 });
    },
  );

  it('a deny rule comes before every grant', async () => {
    const id = await approved(of(2), 'curl example.org');
    const rule = { effect: 'deny', requesterId: of(2).id, text: 'curl *', pattern: null, reason: 'no network' };
    const made = await server.call<{ id: string }>('POST', '/v1/policies', owner, rule);
    expect([made.status, typeof made.body.id]).toEqual([200, 'string']);
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.ask(of(2), 'curl example.org')));
    expect(answers.map(({ body }) => body.error?.code)).toEqual(Array(5).fill('policy.denied'));
    expect((await grantOf(id))?.uses).toBe(0);
    expect((await server.call('POST', `/v1/policies/${made.body.id}/end`, owner)).status).toBe(200);
  });

  it('a grant without a seal is not used for a host that takes sealed approvals only', async () => {
    const id = await approved(of(1), 'sync');
    const body = { request: requestFor('sync'), nonce: nonce(), findings: null, sealedOnly: true };
    const { body: answer } = await server.call<{ outcome: string }>('POST', '/v1/requests', of(1).headers, body);
    expect(answer.outcome).toBe('pending');
    expect((await grantOf(id))?.uses).toBe(0);
  });

  it('the permit of a sealed grant names the newest list of approvers; the permit of an unsealed grant names no list', async () => {
    const plain = await grantOf(await approved(of(1), 'sealed'));
    if (plain === undefined) throw new Error('the grant is gone');
    const listOf = async () => {
      const { body } = await server.ask(of(1), 'sealed');
      const [, payload = ''] = body.outcome === 'permitted' ? body.permit.split('.') : [];
      return JSON.parse(Buffer.from(payload, 'base64url').toString()).approversSequence;
    };
    expect(await listOf()).toBeUndefined();
    const sealed = { document: {}, seal: { keyId: 'key' } } as SealedDecision;
    const older = { ...plain, id: `g_sealed_${kind}`, createdAtMs: 1, sealed };
    must(await server.running.store.write((rows) => rows.insertGrant(older)));
    for (const sequence of [7, 8]) {
      const list = { document: { sequence } } as SealedApprovers;
      must(await server.running.store.write((rows) => rows.insertApprovers(list)));
      expect(await listOf()).toBe(sequence);
    }
  });

  // SQLite has one writer.
  const itWithOtherWriters = kind === 'PostgreSQL' ? it : () => {};
  itWithOtherWriters(
    'a grant that another transaction holds delays no one else, and is used when that is over',
    async () => {
      const [mine, others] = [await approved(of(0), 'held'), await approved(of(1), 'free')];
      const holder = new pg.Client({ connectionString: database ?? '' });
      await holder.connect();
      await holder.query('begin');
      await holder.query(`update grants set reason = 'held' where id = '${mine}'`);
      const waiting = server.ask(of(0), 'held');
      expect((await server.ask(of(1), 'free')).body.outcome).toBe('permitted');
      await holder.query('commit');
      await holder.end();
      expect((await waiting).body.outcome).toBe('permitted');
      expect([(await grantOf(mine))?.uses, (await grantOf(others))?.uses]).toEqual([1, 1]);
    },
  );

  itWithOtherWriters(
    'a pause or a revocation of the requester that is committed while a use waits stops that use',
    async () => {
      const [agent, other] = [await server.requester('four'), await server.requester('five')];
      const ids = [await approved(agent, 'waits'), await approved(other, 'waits')];
      for (const by of [agent, other, agent, other])
        expect((await server.ask(by, 'waits')).body.outcome).toBe('permitted');
      const holder = new pg.Client({ connectionString: database ?? '' });
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from grants where id = any($1) for update', [ids]);
      const waiting = [server.ask(agent, 'waits'), server.ask(other, 'waits')];
      await sleep(1_000);
      expect((await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {})).status).toBe(204);
      expect((await server.call('POST', `/v1/requesters/${other.id}/revoke`, owner, {})).status).toBe(204);
      await holder.query('rollback');
      await holder.end();
      expect((await Promise.all(waiting)).map(({ body }) => body.outcome === 'permitted')).toEqual([false, false]);
      for (const id of ids) expect((await grantOf(id))?.uses).toBe(2);
    },
  );

  it('a pause, a deny rule and a revocation by one server take effect at once on another', async () => {
    const id = await approved(of(0), 'seen');
    const other = await TestServer.start({ directory: server.directory, ...(database === null ? {} : { database }) });
    const askOther = async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => other.ask(of(0), 'seen')));
      return [
        ...new Set(answers.map(({ body }) => body.outcome ?? (body as { error?: { code: string } }).error?.code)),
      ];
    };
    expect(await askOther()).toEqual(['permitted']);
    await server.call('POST', `/v1/requesters/${of(0).id}/pause`, owner, {});
    expect(await askOther()).toEqual(['requester.paused']);
    await server.resume(owner, of(0));
    expect(await askOther()).toEqual(['permitted']);
    const rule = { effect: 'deny', requesterId: of(0).id, text: 'seen', pattern: null, reason: 'not that' };
    const made = await server.call<{ id: string }>('POST', '/v1/policies', owner, rule);
    expect(await askOther()).toEqual(['policy.denied']);
    expect((await server.call('POST', `/v1/policies/${made.body.id}/end`, owner)).status).toBe(200);
    expect(await askOther()).toEqual(['permitted']);
    expect((await server.decide(owner, id, 'revoke', { version: (await grantOf(id))?.version })).status).toBe(200);
    expect(await askOther()).toEqual(['pending']);
    await other.stop();
    expect((await grantOf(id))?.uses).toBe(15);
  });

  it('two servers count every use of one grant', async () => {
    const id = await approved(of(0), 'both');
    const other = await TestServer.start({
      directory: server.directory,
      ...(database === null ? {} : { database }),
    });
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? server : other).ask(of(0), 'both')),
    );
    await other.stop();
    expect(answers.map(({ body }) => body.outcome)).toEqual(Array(AT_ONCE).fill('permitted'));
    expect((await grantOf(id))?.uses).toBe(AT_ONCE);
    expect(new Set(await usesOnRecord(id)).size).toBe(AT_ONCE);
  });
});
