/** The owner's own requesters: the owner chooses them on the page People, and then another person has to decide their requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
beforeAll(async () => {
  server = await TestServer.start();
  owner = await server.owner();
  agent = await server.requester('agent-of-the-owner');
});
afterAll(() => server.stop());

const ONCE = { kind: 'once' };
const ownerCard = async (by: Readonly<Record<string, string>>) => {
  const { body } = await server.call<string>('GET', '/people', by);
  return /data-person-id="s_owner">[\s\S]*?<\/article>/.exec(body)?.[0] ?? '';
};

it('only the owner can choose the requesters of the owner; the owner has no role and no limits to choose', async () => {
  const card = await ownerCard(owner);
  expect(card).toContain('data-path="/v1/people/s_owner"');
  expect(card).toMatch(new RegExp(`data-field="own"[\\s\\S]*value="${agent.id}"> <span>agent-of-the-owner`));
  expect(card).not.toMatch(/data-field="(?:role|limits)/);
  expect(card).not.toContain('revoke-person');
  const { headers } = await server.person('Fay');
  expect(await ownerCard(headers)).not.toContain('data-field');
});

it('requests of a requester of the owner need another person, also if the owner uses a key on the command line', async () => {
  const set = await server.call('POST', '/v1/people/s_owner', owner, { own: [agent.id] });
  expect(set.status).toBe(204);
  const card = await ownerCard(owner);
  expect(card).toContain('Decides nothing that agent-of-the-owner asks for.');
  expect(card).toContain(`value="${agent.id}" checked`);
  const { id, version } = await server.pending(agent, 'ls own');
  for (const by of [owner, (await server.approverKey()).headers]) {
    const { status, body } = await server.decide(by, id, 'approve', { version, term: ONCE });
    expect([status, body.error.code]).toEqual([403, 'approver.own_request']);
  }
  expect((await server.call<string>('GET', `/grants/${id}`, owner)).body).not.toContain('data-verb="approve"');
  const { headers } = await server.person('Gus');
  expect((await server.decide(headers, id, 'approve', { version, term: ONCE })).body.state).toBe('approved');
});

it('a requester stops belonging to the owner when the owner chooses none', async () => {
  expect((await server.call('POST', '/v1/people/s_owner', owner, { own: [] })).status).toBe(204);
  const { id, version } = await server.pending(agent, 'ls free');
  expect((await server.decide(owner, id, 'approve', { version, term: ONCE })).body.state).toBe('approved');
});
