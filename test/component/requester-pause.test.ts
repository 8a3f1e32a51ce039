/** Nothing of a paused requester runs, from the pause on, not even what a grant covers; and the limits that pause a requester. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_DENIALS } from '../../src/server/limits.ts';
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

const change = (verb: string, body?: object, headers = owner, id = agent.id) =>
  server.call<{ error: { code: string } }>('POST', `/v1/requesters/${id}/${verb}`, headers, body);
const ALWAYS = { version: 1, term: { kind: 'always' } };

describe('a paused requester', () => {
  it('is refused what is covered, what is approved and what is new, until it is resumed', async () => {
    const standing = await server.pending(agent, 'date');
    const once = await server.pending(agent, 'uptime');
    await server.decide(owner, standing.id, 'approve', ALWAYS);
    await server.decide(owner, once.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect((await server.ask(agent, 'date')).status).toBe(200);
    expect((await change('pause', {})).status).toBe(204);
    for (const text of ['date', 'ls'])
      expect((await server.ask(agent, text)).body).toMatchObject({ error: { code: 'requester.paused' } });
    expect((await server.redeem(agent, once)).body).toMatchObject({ error: { code: 'requester.paused' } });
    expect((await change('resume')).status).toBe(204);
    expect((await server.ask(agent, 'date')).status).toBe(200);
    expect((await server.redeem(agent, once)).status).toBe(200);
  });

  it('does not touch any other, and can be paused and resumed twice', async () => {
    const other = await server.requester('other', 'box', 'other');
    for (const verb of ['pause', 'pause']) expect((await change(verb, {})).status).toBe(204);
    expect((await server.ask(other, 'ls', { user: 'other' })).status).toBe(202);
    for (const verb of ['resume', 'resume']) expect((await change(verb)).status).toBe(204);
  });

  it('stays paused when the server starts again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ape-pause-'));
    const first = await TestServer.start({ directory });
    const asker = await first.requester();
    const approver = await first.owner();
    await first.call('POST', `/v1/requesters/${asker.id}/pause`, approver, {});
    await first.stop();
    const second = await TestServer.start({ directory });
    const again = await second.signedIn(asker.id, asker.privateKey);
    expect((await second.ask(again, 'ls')).body).toMatchObject({ error: { code: 'requester.paused' } });
    await second.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is shown in the inbox with one tap to resume', async () => {
    await change('pause', { reason: 'too <b>eager</b>' });
    const page = await server.call<string>('GET', '/', owner);
    expect(page.body).toContain('data-requester="resume"');
    expect(page.body).toContain('too &lt;b&gt;eager&lt;/b&gt;');
    const pauses = await server.call<{ pauses: object[] }>('GET', '/v1/pauses', owner);
    expect(pauses.body.pauses).toMatchObject([{ requesterId: agent.id, reason: 'too <b>eager</b>' }]);
  });

  it('cannot resume itself, nor pause another requester', async () => {
    await change('pause', {});
    for (const verb of ['pause', 'resume', 'revoke'])
      expect((await change(verb, verb === 'pause' ? {} : undefined, agent.headers)).body.error.code).toBe(
        'auth.forbidden',
      );
    expect((await change('pause', {}, owner, 's_none')).body.error.code).toBe('requester.not_found');
    expect((await change('pause', {}, owner, 's_owner')).body.error.code).toBe('requester.not_found');
  });
});

describe('too many denials in a short time', () => {
  it('pause the requester by themselves, and say so', async () => {
    for (let count = 0; count <= MAX_DENIALS.atOnce; count += 1) {
      const grant = await server.pending(agent, `rm ${count}`);
      expect((await server.decide(owner, grant.id, 'deny', { version: 1 })).status).toBe(200);
    }
    const paused = await server.ask(agent, 'ls');
    expect(paused.body.error).toMatchObject({ code: 'requester.paused' });
    expect(paused.body.error.message).toMatch(/^this requester is paused \(more than \d+ denials in a short time\)/);
    const pauses = await server.call<{ pauses: object[] }>('GET', '/v1/pauses', owner);
    expect(pauses.body.pauses).toMatchObject([{ byId: null, reason: expect.stringContaining('denials') }]);
    // Resumed, it is as before: the next denial alone pauses nothing.
    await change('resume');
    const next = await server.pending(agent, 'rm next');
    await server.decide(owner, next.id, 'deny', { version: 1 });
    expect((await server.ask(agent, 'ls')).status).toBe(202);
  });
});

describe('a revoked requester', () => {
  it('is refused at once, also with the token it has', async () => {
    expect((await server.ask(agent, 'ls')).status).toBe(202);
    expect((await change('revoke')).status).toBe(204);
    expect((await server.ask(agent, 'ls')).status).toBe(401);
    const page = await server.call<string>('GET', '/requesters', owner);
    expect(page.body).toContain('Revoked');
  });
});
