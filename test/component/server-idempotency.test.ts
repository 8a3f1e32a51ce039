/** `Idempotency-Key` on SQLite and PostgreSQL: a repeated call is done once and gets the same answer; other calls are not affected. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import { LONG_REQUEST_BYTES, MAX_IDEMPOTENCY_KEYS } from '../../src/server/limits.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { nonce, type Person, requestFor, TestServer } from './server-fixture.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe.each(['SQLite', 'PostgreSQL'])('an idempotency key, on %s', (database) => {
  let server: TestServer;
  let agent: Person;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.now();
    const shared = database === 'PostgreSQL' ? { database: await postgres.newDatabase() } : {};
    server = await TestServer.start({ ...shared, clock: () => nowMs });
    agent = await server.requester();
  });
  afterEach(() => server.stop());

  const bodyOf = (text: string, host = 'box') => ({
    request: requestFor(text, { host }),
    nonce: nonce(),
    findings: null,
  });
  const post = (key: string, body: unknown, path = '/v1/requests', headers = agent.headers) =>
    server.call<AskAnswer & ErrorBody>('POST', path, { ...headers, 'idempotency-key': key }, body);
  const filed = async () => {
    const events = await server.running.store.read((rows) => rows.events(0, 1_000));
    if (!events.ok) throw new Error(events.failure.message);
    return events.value.filter(({ kind }) => kind.startsWith('grant.re')).map(({ kind }) => kind);
  };

  it('gives the same answer to the same call, which is done once, also if the calls come at the same moment', async () => {
    const body = bodyOf('make');
    const first = await post('k1', body);
    expect([first.status, first.body]).toMatchObject([202, { outcome: 'pending', filed: true }]);
    nowMs += 24 * 3_600_000 - 1;
    agent = await server.signedIn(agent.id, agent.privateKey);
    const again = await post('k1', { nonce: body.nonce, findings: null, request: body.request });
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(await filed()).toEqual(['grant.requested']);
    const other = bodyOf('test');
    const both = await Promise.all(Array.from({ length: 8 }, () => post('k2', other)));
    expect(both.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
    const refused = both.filter(({ status }) => status !== 202).map(({ body: { error } }) => error.code);
    expect(new Set([...refused, 'idempotency.under_way'])).toEqual(new Set(['idempotency.under_way']));
    expect(await filed()).toEqual(['grant.requested', 'grant.requested']);
  });

  it('is refused for another call, and is free again after a day', async () => {
    await post('k', bodyOf('make'));
    for (const [body, path] of [
      [bodyOf('test'), '/v1/requests'],
      [{ event: 'line.finished', sessionId: 's' }, '/v1/reports'],
    ] as const)
      expect((await post('k', body, path)).body).toMatchObject({
        status: 422,
        error: { code: 'idempotency.other_call' },
      });
    nowMs += 24 * 3_600_000 + 1;
    agent = await server.signedIn(agent.id, agent.privateKey);
    expect((await post('k', bodyOf('test'))).status).toBe(202);
  });

  it('of one subject is independent of the same key of another subject', async () => {
    const other = await server.requester('other', 'box2');
    const [mine, theirs] = [
      await post('k', bodyOf('make')),
      await post('k', bodyOf('make', 'box2'), undefined, other.headers),
    ];
    expect([mine.status, theirs.status]).toEqual([202, 202]);
  });

  it('never gives a permit twice, or after a revocation', async () => {
    const grant = await server.pending(agent, 'date');
    const owner = await server.owner();
    await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
    const body = bodyOf('date');
    expect((await post('k', body)).body).toMatchObject({ outcome: 'permitted' });
    await server.decide(owner, grant.id, 'revoke', {});
    const again = await post('k', body);
    expect([again.status, again.body.error.code]).toEqual([409, 'idempotency.given']);
    expect(JSON.stringify(again.body)).not.toContain('permit"');
  });

  it('of a call that was interrupted is reported as under way for a minute and then as unknown; the call is not repeated', async () => {
    const body = bodyOf('make');
    await post('k', body);
    const { store } = server.running;
    const cut = await store.write(async (rows) => {
      const keyHash = (await import('../../src/platform/digest.ts')).sha256Hex('k');
      const call = await rows.idempotency.idempotentCall(agent.id, keyHash);
      if (call !== undefined) await rows.idempotency.endIdempotentCall({ ...call, status: null, answer: null });
    });
    expect(cut.ok).toBe(true);
    expect((await post('k', body)).body).toMatchObject({ status: 409, error: { code: 'idempotency.under_way' } });
    nowMs += 60_000;
    expect((await post('k', body)).body).toMatchObject({ status: 409, error: { code: 'idempotency.unknown' } });
    expect(await filed()).toEqual(['grant.requested']);
  });

  it('is free again if the call had no effect', async () => {
    const wrong = bodyOf('make', 'another-host');
    expect((await post('k', wrong)).status).toBe(400);
    expect((await post('k', bodyOf('make'))).status).toBe(202);
    const { findings: _, ...unseen } = bodyOf('ls');
    expect((await post('k2', unseen)).body).toMatchObject({ outcome: 'wants-findings' });
    expect((await post('k2', bodyOf('ls'))).status).toBe(202);
  });

  it('makes one policy from repeated calls', async () => {
    const owner = await server.owner();
    const body = { effect: 'deny', requesterId: null, text: 'npm publish', pattern: null, reason: 'no' };
    const make = () => post('k', body, '/v1/policies', owner as Person['headers']);
    const [first, second] = [await make(), await make()];
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    const policies = await server.call<{ policies: object[] }>('GET', '/v1/policies', owner);
    expect([first.status, policies.body.policies.length]).toEqual([200, 1]);
  });

  it('is refused on a call without an effect, if it is malformed, or with a body that is too long', async () => {
    const owner = await server.owner();
    expect((await post('k', {}, '/v1/recovery-codes', owner as Person['headers'])).body.error.message).toContain(
      'Idempotency-Key',
    );
    for (const key of ['', 'a b', 'x'.repeat(129)]) expect((await post(key, bodyOf('make'))).status).toBe(400);
    const sizeOf = (text: string) => JSON.stringify(bodyOf(text)).length;
    const fits = 'x'.repeat(LONG_REQUEST_BYTES - sizeOf(''));
    expect((await post('k', bodyOf(`${fits}x`))).body.error.message).toContain('64 KiB');
    expect((await post('k', bodyOf(fits))).status).toBe(202);
  });

  it('counts towards the limit of a day', async () => {
    const made = await server.running.store.write(async (rows) => {
      for (let count = 1; count < MAX_IDEMPOTENCY_KEYS; count += 1)
        await rows.idempotency.insertIdempotentCall({
          subjectId: agent.id,
          keyHash: `h${count}`,
          callDigest: 'd',
          startedAtMs: nowMs,
          status: 204,
          answer: null,
        });
    });
    expect(made.ok).toBe(true);
    expect((await post('last', bodyOf('make'))).status).toBe(202);
    expect((await post('more', bodyOf('test'))).body).toMatchObject({
      status: 429,
      error: { code: 'server.too_many' },
    });
  });
});
