/** The page *Rules* on a server with many requesters. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allRules } from '../core/rule-effects.ts';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
const requesters: Person[] = [];

beforeAll(async () => {
  server = await TestServer.start({ rules: allRules });
  owner = (await server.approverKey()).headers;
  for (let count = 10; count < 65; count += 1)
    requesters.push(await server.requester(`requester ${count}`, `box${count}`));
});
afterAll(() => server.stop());

const page = async () => (await server.call<string>('GET', '/rules', owner)).body;
const cardsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<article class="card reading-policy" data-requester-id="([^"]*)"/g)].map(([, id = '']) => id);
const choicesOf = (text: string): readonly string[] =>
  [...text.matchAll(/<option value="([^"]+)"/g)].map(([, id = '']) => id);

it('says how many requesters have no card; a rule can name every requester that is not revoked', async () => {
  const before = await page();
  expect(cardsOf(before)).toEqual(requesters.slice(0, 50).map(({ id }) => id));
  expect(before).toContain('5 more requesters are not shown here');
  expect(choicesOf(before)).toEqual(requesters.map(({ id }) => id));

  const body = { effect: 'deny', requesterId: requesters[0]?.id, text: '*x*', pattern: null, reason: 'no x' };
  expect((await server.call('POST', '/v1/policies', owner, body)).status).toBe(200);
  for (const { id } of requesters.slice(0, 5))
    expect((await server.call('POST', `/v1/requesters/${id}/revoke`, owner)).status).toBe(204);
  const after = await page();
  expect(cardsOf(after)).toEqual(requesters.slice(5).map(({ id }) => id));
  expect(choicesOf(after)).toEqual(requesters.slice(5).map(({ id }) => id));
  expect(after).not.toContain('not shown here');
  expect(after).toContain('for requester 10'); // the rule for a revoked requester still has its name
});
