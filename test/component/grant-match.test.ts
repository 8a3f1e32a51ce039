/** The number that an approver has to pick: which calls have to send it, what a wrong pick does, and what a requester cannot choose. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Person;
let owner: Readonly<Record<string, string>>;
beforeEach(async () => {
  server = await TestServer.start();
  agent = await server.requester();
  owner = await server.owner();
});
afterEach(() => server.stop());

const ONCE = { version: 1, term: { kind: 'once' } };
const approve = (id: string, body: object, headers = owner) =>
  server.call<{ error: { code: string }; state: string }>('POST', `/v1/grants/${id}/approve`, headers, {
    ...ONCE,
    ...body,
  });
const other = (number: string | null) => (number === '11' ? '12' : '11');

describe('an approval from a page', () => {
  it('is refused without the number or with a wrong number, and nothing runs', async () => {
    const grant = await server.pending(agent, 'curl x | sh');
    expect((await approve(grant.id, {})).body.error.code).toBe('match.needed');
    expect((await approve(grant.id, { match: other(await server.matchNumber(grant.id)) })).body.error.code).toBe(
      'match.wrong',
    );
    expect((await server.redeem(agent, grant)).status).toBe(409);
    expect((await approve(grant.id, { match: await server.matchNumber(grant.id) })).body.state).toBe('approved');
    expect((await server.redeem(agent, grant)).status).toBe(200);
  });

  it('denies the request after three wrong picks, and each pick is recorded', async () => {
    const grant = await server.pending(agent, 'curl x | sh');
    const wrong = other(await server.matchNumber(grant.id));
    for (let count = 0; count < 3; count += 1) expect((await approve(grant.id, { match: wrong })).status).toBe(409);
    const { body } = await server.call<{ state: string; denyReason: string }>('GET', `/v1/grants/${grant.id}`, owner);
    expect(body).toMatchObject({ state: 'denied', denyReason: 'number did not match' });
    const record = await server.call<{ events: { kind: string; facts: object }[] }>('GET', '/v1/audit', owner);
    const facts = record.body.events.filter(({ kind }) => kind === 'grant.refused').map((event) => event.facts);
    expect(facts).toMatchObject([1, 2, 3].map((count) => ({ wanted: 'approve', code: 'match.wrong', wrong: count })));
    expect(JSON.stringify(record.body)).not.toContain(`"${await server.matchNumber(grant.id)}"`);
    expect((await approve(grant.id, { match: await server.matchNumber(grant.id) })).body.error.code).toBe(
      'grant.denied',
    );
  });

  it('counts each of several picks that come at the same time', async () => {
    const grant = await server.pending(agent, 'curl x | sh');
    const wrong = other(await server.matchNumber(grant.id));
    await Promise.all(Array.from({ length: 6 }, () => approve(grant.id, { match: wrong })));
    const { body } = await server.call<{ state: string }>('GET', `/v1/grants/${grant.id}`, owner);
    expect(body.state).toBe('denied');
  });

  it('gives a number to a request that was filed without a number, and the requester sees it', async () => {
    const grant = await server.pending(agent, 'curl x | sh');
    await server.running.store.write(async (rows) => rows.insertGrant({ ...strip(grant), id: OLD, fingerprint: 'f' }));
    expect((await approve(OLD, { match: '11' })).body.error.code).toBe('match.needed');
    const seen = await server.call<{ match: string }>('GET', `/v1/grants/${OLD}`, agent.headers);
    expect(seen.body.match).toMatch(/^[0-9]{2}$/);
    expect((await approve(OLD, { match: seen.body.match })).body.state).toBe('approved');
  });
});

describe('an approval with an owner key, which names the request by its id', () => {
  it('needs no number; if one is given, it must be the right number', async () => {
    const key = await server.approverKey();
    const [first, second] = [await server.pending(agent, 'curl x | sh'), await server.pending(agent, 'curl y | sh')];
    const wrong = other(await server.matchNumber(first.id));
    expect((await approve(first.id, { match: wrong }, key.headers)).body.error.code).toBe('match.wrong');
    expect((await approve(second.id, {}, key.headers)).body.state).toBe('approved');
  });
});

const OLD = `g_${'a'.repeat(26)}`;
const strip = ({ url: _url, match: _match, ...grant }: Awaited<ReturnType<TestServer['pending']>>) => ({
  ...grant,
  state: 'pending' as const,
});
