/** What an approver with limits sees: buttons only for what they may decide, and a number that counts only this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { setDelegation, setPerson } from '../../src/server/identity/people-administration.ts';
import { newKey, type Person, TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
const FILE = { digest: null, resultDigest: null, bytes: null, danger: null };
const LIMITS = 'Your limits do not allow this decision; an approver with wider limits can make it.';
const OWN = 'This requester belongs to you, so another person has to decide its requests.';
const BUTTONS = /data-verb="(?:approve|deny)"|data-match=|data-pauses/;

let server: TestServer;
let owner: Headers;
let eve: { readonly id: string; readonly headers: Headers };
let agent: Person;
let other: Person;
let low: GrantView;
let opaque: GrantView;
let elsewhere: readonly GrantView[];

const file = (by: Person, path: string, host: string) =>
  server.pending(by, `Read ${path}`, {
    kind: 'file',
    host,
    files: [{ ...FILE, verb: 'read', path, askedPath: path }],
  });

beforeAll(async () => {
  server = await TestServer.start();
  owner = await server.owner();
  agent = await server.requester();
  other = await server.requester('other', 'attic');
  eve = await server.person('Eve', 'approver', { requesters: null, hosts: ['box'], upTo: 'medium' });
  low = await file(agent, '/d/x', 'box');
  opaque = await server.pending(agent, 'eval "$LINE"');
  elsewhere = [
    await server.pending(other, 'git fetch one', { host: 'attic' }),
    await server.pending(other, 'git fetch two', { host: 'attic' }),
  ];
});
afterAll(() => server.stop());

const page = async (path: string, by: Headers = eve.headers) => (await server.call<string>('GET', path, by)).body;
const cardOf = ({ id }: { readonly id: string }, by?: Headers) => page(`/grants/${id}`, by);
const countOn = (text: string) => Number(/data-count="(\d+)"/.exec(text)?.[1]);

describe('the card of a request', () => {
  it('has its buttons if the request is within the limits', async () => {
    const card = await cardOf(low);
    expect(card).toMatch(/data-verb="approve"[\s\S]*data-verb="approve"/);
    expect(card).not.toContain('not-yours');
  });

  it('of a request with a higher risk has the button Deny, and says who can approve it', async () => {
    const card = await cardOf(opaque);
    expect(card).toContain(`<p class="note not-yours">${LIMITS}</p>`);
    expect(card).toContain('data-verb="deny"');
    expect(card).not.toMatch(/data-verb="approve"|data-match=/);
    expect(
      (await server.decide(eve.headers, opaque.id, 'approve', { version: 1, term: { kind: 'once' } })).status,
    ).toBe(403);
    expect(await cardOf(opaque, owner)).not.toContain('not-yours');
  });

  it('of a request from another host has no button, and says who can decide', async () => {
    for (const grant of elsewhere) {
      const card = await cardOf(grant);
      expect(card).toContain(LIMITS);
      expect(card).not.toMatch(BUTTONS);
      expect((await server.call<string>('GET', `/parts/card/${grant.id}`, eve.headers)).body).not.toMatch(BUTTONS);
      expect((await server.decide(eve.headers, grant.id, 'deny', { version: 1 })).status).toBe(403);
    }
  });

  it('of a request by an own requester has the button Deny, and says that another person decides', async () => {
    const fay = await server.person('Fay');
    await setPerson(server.running.store, fay.id, { own: [agent.id] }, { nowMs: Date.now() });
    const card = await cardOf(low, fay.headers);
    expect(card).toContain(OWN);
    expect(card).toContain('data-verb="deny"');
    expect(card).not.toMatch(/data-verb="approve"/);
    expect(countOn(await page('/', fay.headers))).toBe(2);
  });

  it('has its buttons while another person has delegated to this one', async () => {
    const ida = await server.person('Ida', 'approver', { requesters: [], hosts: [], upTo: 'low' });
    const gus = await server.person('Gus');
    expect(await cardOf(low, ida.headers)).not.toMatch(BUTTONS);
    const untilMs = Date.now() + 60_000;
    await setDelegation(server.running.store, { from: gus.id, to: ida.id, untilMs }, { nowMs: Date.now() });
    expect(await cardOf(low, ida.headers)).toMatch(BUTTONS);
    expect(countOn(await page('/', ida.headers))).toBe(4);
  });
});

describe('the inbox', () => {
  it('counts what this person can decide, also on the pages and parts that a script fetches', async () => {
    for (const path of ['/', '/history', `/grants/${low.id}`]) expect(countOn(await page(path))).toBe(1);
    expect(countOn(await page('/', owner))).toBe(4);
    const part = await server.call('GET', `/parts/brief/${low.id}`, eve.headers);
    expect(part.headers.get('x-ape-pending')).toBe('1');
    expect(await page('/')).not.toContain('class="rest"');
  });

  it('says which requests another person decides, and has no buttons for a group of them', async () => {
    const inbox = await page('/');
    const briefs = inbox.split('<li class="brief').slice(1);
    const isForOthers = (id: string) =>
      briefs.find((brief) => brief.includes(`data-grant-id="${id}"`))?.includes('for another approver');
    expect([low, opaque, ...elsewhere].map(({ id }) => isForOthers(id))).toEqual([false, true, true, true]);
    expect(inbox).toContain('<li class="group">');
    expect(inbox).not.toContain('data-all=');
    expect(await page('/', owner)).toContain('data-all="deny"');
  });

  it('goes on with the next request that this person can decide', async () => {
    const next = await server.call<string>('GET', `/parts/next/${opaque.id}`, eve.headers);
    expect(next.body).toContain(`data-grant-id="${low.id}"`);
    expect((await server.call('GET', `/parts/next/${low.id}`, eve.headers)).status).toBe(404);
    expect((await server.call('GET', `/parts/next/${low.id}`, owner)).status).toBe(200);
  });
});

describe('a button for an approver without limits', () => {
  it('is not shown for resuming, revoking, or asking for a new key', async () => {
    const paused = await server.requester('paused');
    expect((await server.call('POST', `/v1/requesters/${paused.id}/pause`, owner, {})).status).toBe(204);
    for (const path of ['/', '/requesters']) {
      const text = await page(path);
      expect(text).toContain('An approver without limits can resume it.');
      expect(text).not.toMatch(/data-requester="(?:resume|revoke|rotate)"/);
      expect(await page(path, owner)).toContain('data-requester="resume"');
    }
    expect(await page('/requesters')).toContain('data-requester="pause"');
    expect((await server.call('POST', `/v1/requesters/${paused.id}/resume`, eve.headers)).status).toBe(403);
    expect((await server.call('POST', `/v1/requesters/${paused.id}/resume`, owner)).status).toBe(204);
  });

  it('is not shown for a new host, which does not count either', async () => {
    const identity = { name: 'new', host: 'cellar', user: 'agent', publicKey: newKey().publicKey };
    const { enrolmentId } = await server.enrolling(identity);
    for (const path of ['/', `/enrolments/${enrolmentId}`, `/parts/enrolment/${enrolmentId}`]) {
      const text = await page(path);
      expect(text).toContain('An approver without limits decides about new hosts.');
      expect(text).not.toContain('Same code: approve');
      expect(await page(path, owner)).toContain('Same code: approve');
    }
    expect([countOn(await page('/')), countOn(await page('/', owner))]).toEqual([1, 5]);
  });
});
