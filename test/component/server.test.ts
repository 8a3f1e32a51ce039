import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from './server-fixture.ts';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

describe('a request', () => {
  it('waits, is approved once, is used once, and then waits again', async () => {
    const agent = await server.requester();
    const owner = await server.owner();
    const grant = await server.pending(agent, 'echo hi');
    expect(grant.state).toBe('pending');
    const approved = await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect(approved.status).toBe(200);
    expect(approved.body.state).toBe('approved');
    const used = await server.redeem(agent, grant);
    expect(used.status).toBe(200);
    const again = await server.redeem(agent, grant);
    expect([again.status, again.body.error.code]).toEqual([409, 'grant.used']);
    expect((await server.ask(agent, 'echo hi')).status).toBe(202);
  });
});
