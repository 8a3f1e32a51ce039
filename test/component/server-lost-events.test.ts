/**
 * Threat: a failover to a standby that lacked the last events, under a running server. The numbers of events begin again below those that the
 * server has read, so a new rule gets a number that the server takes for known. Real PostgreSQL and server; the test removes the events.
 */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import { TestServer } from './server-fixture.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

it('a server applies a new rule although it has read events that the database has lost', async () => {
  const database = await postgres.newDatabase();
  const server = await TestServer.start({ database });
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const [agent, owner] = [await server.requester(), await server.owner()];
    const grant = await server.pending(agent, 'echo x');
    const before = (await client.query('select seq from event_head')).rows[0]?.seq;
    const approved = await server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
    expect(approved.status).toBe(200);
    for (const _ of [1, 2, 3]) expect((await server.ask(agent, 'echo x')).body.outcome).toBe('permitted');
    // The grant stays, as if it had been approved longer ago; only the last events are lost.
    // The head is locked, so that no use gets a number meanwhile.
    await client.query(`begin; select from event_head for update; delete from unnumbered_events;
      delete from events where seq > ${before}; update event_head set seq = ${before}; commit`);
    const rule = { effect: 'deny', requesterId: null, text: 'echo *', pattern: null, reason: 'never' };
    expect((await server.call('POST', '/v1/policies', owner, rule)).status).toBe(200);
    const asked = await server.ask(agent, 'echo x');
    expect(asked.body.outcome).not.toBe('permitted');
    expect(JSON.stringify(asked.body)).toContain('never');
  } finally {
    await client.end();
    await server.stop();
  }
});
