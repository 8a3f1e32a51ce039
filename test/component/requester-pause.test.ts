/** Nothing of a paused requester runs from the pause on, not even what a grant covers; and the limits that pause a requester. */
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
  it('is refused covered, approved and new requests until it is resumed', async () => {
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

  it('does not affect another requester, and can be paused and resumed twice', async () => {
    const other = await server.requester('other', 'box', 'other');
    for (const verb of ['pause', 'pause']) expect((await change(verb, {})).status).toBe(204);
    expect((await server.ask(other, 'ls', { user: 'other' })).status).toBe(202);
    for (const verb of ['resume', 'resume']) expect((await change(verb)).status).toBe(204);
  });

  it('stays paused after a restart of the server', async () => {
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

  it('is in the inbox, with one tap to resume it', async () => {
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
  it('pause the requester automatically, and are named as the reason', async () => {
    for (let count = 0; count <= MAX_DENIALS.atOnce; count += 1) {
      const grant = await server.pending(agent, `rm ${count}`);
      expect((await server.decide(owner, grant.id, 'deny', { version: 1 })).status).toBe(200);
    }
    const paused = await server.ask(agent, 'ls');
    expect(paused.body.error).toMatchObject({ code: 'requester.paused' });
    expect(paused.body.error.message).toMatch(/^this requester is paused \(more than \d+ denials in a short time\)/);
    const pauses = await server.call<{ pauses: object[] }>('GET', '/v1/pauses', owner);
    expect(pauses.body.pauses).toMatchObject([{ byId: null, reason: expect.stringContaining('denials') }]);
    // After it is resumed, it starts from zero: the next denial alone pauses nothing.
    await change('resume');
    const next = await server.pending(agent, 'rm next');
    await server.decide(owner, next.id, 'deny', { version: 1 });
    expect((await server.ask(agent, 'ls')).status).toBe(202);
  });
});

describe('a revoked requester', () => {
  it('is refused at once, also with a token that it already has', async () => {
    expect((await server.ask(agent, 'ls')).status).toBe(202);
    expect((await change('revoke')).status).toBe(204);
    expect((await server.ask(agent, 'ls')).status).toBe(401);
    const page = await server.call<string>('GET', '/requesters', owner);
    expect(page.body).toContain('Revoked');
  });
});

describe('all requesters of a host', () => {
  const ofHost = (verb: string, body: object, headers = owner) =>
    server.call<{ requesterIds: string[]; changedIds: string[]; error: { code: string; message: string } }>(
      'POST',
      `/v1/hosts/${verb}`,
      headers,
      body,
    );
  let second: Person;
  let elsewhere: Person;
  beforeEach(async () => {
    second = await server.requester('second', 'box', 'second');
    elsewhere = await server.requester('third', 'attic');
  });
  const outcomes = async () => [
    (await server.ask(agent, 'ls')).status,
    (await server.ask(second, 'ls', { user: 'second' })).status,
    (await server.ask(elsewhere, 'ls', { host: 'attic' })).status,
  ];

  it('are paused and resumed by one call, which affects no other requester', async () => {
    await change('pause', {}, owner, second.id);
    const paused = await ofHost('pause', { host: 'box', reason: 'box is <odd>' });
    expect(paused.status).toBe(200);
    expect(paused.body.requesterIds.toSorted()).toEqual([agent.id, second.id].sort());
    expect(paused.body.changedIds).toEqual([agent.id]);
    expect(await outcomes()).toEqual([403, 403, 202]);
    expect((await ofHost('resume', { host: 'box' })).body.changedIds).toHaveLength(2);
    expect(await outcomes()).toEqual([202, 202, 202]);
    expect((await ofHost('resume', { host: 'box' })).body.changedIds).toEqual([]);
  });

  it('are revoked by one call; a host without requesters is then not found', async () => {
    expect((await ofHost('revoke', { host: 'box' })).body.changedIds).toHaveLength(2);
    expect(await outcomes()).toEqual([401, 401, 202]);
    for (const host of ['box', 'Attic', 'nowhere'])
      for (const verb of ['pause', 'resume', 'revoke'])
        expect(await ofHost(verb, { host })).toMatchObject({
          status: 404,
          body: {
            error: {
              code: 'requester.not_found',
              message: `no requester of the host "${host}" is enrolled, or all of them are revoked`,
            },
          },
        });
    expect((await ofHost('pause', { host: '' })).status).toBe(400);
    expect((await ofHost('pause', { host: 'box\n' })).status).toBe(400);
  });

  it('have one event each, which names the host', async () => {
    for (const verb of ['pause', 'resume', 'revoke']) await ofHost(verb, { host: 'box' });
    const { body } = await server.call<{ events: { kind: string; facts: object }[] }>(
      'GET',
      '/v1/audit?limit=1000',
      owner,
    );
    const hostEvents = body.events.filter(({ facts }) => 'host' in facts && 'requesterId' in facts);
    for (const kind of ['requester.paused', 'requester.resumed', 'subject.revoked'])
      expect(hostEvents.filter((event) => event.kind === kind)).toMatchObject(
        [agent.id, second.id].sort().map(() => ({ facts: { host: 'box', requesterId: expect.any(String) } })),
      );
  });

  it('are not changed by a requester, by a page of another site, or without the token of the page', async () => {
    for (const verb of ['pause', 'resume', 'revoke']) {
      expect((await ofHost(verb, { host: 'box' }, agent.headers)).body.error.code).toBe('auth.forbidden');
      expect((await ofHost(verb, { host: 'box' }, { ...owner, origin: 'http://evil.example' })).status).toBe(403);
      const { 'x-csrf-token': _, ...without } = owner;
      expect((await ofHost(verb, { host: 'box' }, without)).status).toBe(403);
    }
    expect(await outcomes()).toEqual([202, 202, 202]);
  });

  it('have a common card above their own cards, if there are several', async () => {
    await ofHost('pause', { host: 'box' });
    const { body } = await server.call<string>('GET', '/requesters', owner);
    expect(body.match(/data-host="/g)).toHaveLength(1);
    expect(body).toContain('data-host="box"');
    expect(body).toContain('All 2 requesters on box');
    expect(body).toContain('Resume all');
    expect(body).not.toContain('Pause all');
  });
});
