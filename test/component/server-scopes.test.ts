/** Standing grants for commands: given, found, used together, counted and ended, on a real server with a real database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRules } from '../core/rules-judging.ts';
import { nonce, TestServer } from './server-fixture.ts';
import { askLine, lineRequest, payloadOf, scopeFor, standing } from './server-lines.ts';

let server: TestServer;
let owner: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await TestServer.start({ rules: allRules });
  owner = (await server.approverKey()).headers;
});
afterAll(() => server.stop());

describe('a line', () => {
  it('is asked for with findings first, when nothing is given for exactly it; then nothing was filed', async () => {
    const agent = await server.requester();
    const body = { request: lineRequest('git log'), nonce: nonce() };
    const answer = await server.call('POST', '/v1/requests', agent.headers, body);
    expect([answer.status, answer.body]).toEqual([200, { outcome: 'wants-findings' }]);
    const list = await server.call<{ grants: unknown[] }>('GET', '/v1/grants', agent.headers);
    expect(list.body.grants).toEqual([]);
  });

  it('is covered by a scope that was given to another', async () => {
    const agent = await server.requester();
    const grant = await standing(server, agent, owner, 'git log', scopeFor());
    const { status, body } = await askLine(server, agent, 'git log --oneline -5');
    expect([status, body.outcome]).toEqual([200, 'permitted']);
    const payload = payloadOf((body as { permit: string }).permit);
    expect(payload).toMatchObject({ grantId: grant.id, coveredBy: [{ grantId: grant.id }] });
  });
});
