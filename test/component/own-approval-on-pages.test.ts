/** The pages for a person who has approved a request that needs more approvals: no buttons to approve it again, and a count without it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { setDelegation, setPerson, setQuorum } from '../../src/server/identity/people-administration.ts';
import { type Person, TestServer } from './server-fixture.ts';

interface Someone {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}
const SENTENCE = '<p class="note not-yours">You approved; one more person has to approve.</p>';
const AGAIN = /data-verb="approve"|data-match=/;
const ONCE = { kind: 'once' } as const;

let server: TestServer;
let agent: Person;
let ada: Someone;
let bob: Someone;
let grant: GrantView;
let second: GrantView;
const quorum = (counts: object) => setQuorum(server.running.store, counts, { nowMs: Date.now() });
const page = async (path: string, by: Someone) => (await server.call<string>('GET', path, by.headers)).body;
const cardFor = (by: Someone, { id } = grant) => page(`/grants/${id}`, by);
const countFor = async (by: Someone) => Number(/data-count="(\d+)"/.exec(await page('/', by))?.[1]);
const approve = async (by: Someone, { id } = grant, more: object = {}) => {
  const { version } = (await server.call<GrantView>('GET', `/v1/grants/${id}`, by.headers)).body;
  const answer = await server.decide(by.headers, id, 'approve', { version, term: ONCE, ...more });
  expect(answer.status).toBe(200);
  return answer.body;
};

beforeAll(async () => {
  server = await TestServer.start();
  ada = await server.person('Ada');
  bob = await server.person('Bob');
});
afterAll(() => server.stop());
beforeEach(async () => {
  await quorum({ low: 1, medium: 2, high: 2, critical: 2 });
  agent = await server.requester();
  grant = await server.pending(agent, 'eval "$ONE"');
  second = await server.pending(agent, 'eval "$TWO"');
  return async () => {
    for (const { id } of [grant, second]) await server.call('POST', `/v1/grants/${id}/withdraw`, agent.headers, {});
  };
});

describe('a request that this person has approved', () => {
  it('has a sentence in place of the buttons, and can still be denied', async () => {
    expect(await cardFor(ada)).toMatch(AGAIN);
    await approve(ada);
    const own = await cardFor(ada);
    expect(own).toContain(SENTENCE);
    expect(own).not.toMatch(AGAIN);
    expect(own).toContain('data-verb="deny"');
    const others = await cardFor(bob);
    expect(others).toMatch(AGAIN);
    expect(others).not.toContain('not-yours');
  });

  it('says how many more people have to approve', async () => {
    await quorum({ critical: 4 });
    await approve(ada);
    expect(await cardFor(ada)).toContain('You approved; 3 more people have to approve.');
  });

  it('is not counted for this person, is marked in the inbox, and is not offered as the next request', async () => {
    const [before, forBob] = [await countFor(ada), await countFor(bob)];
    await approve(ada);
    expect([await countFor(ada), await countFor(bob)]).toEqual([before - 1, forBob]);
    const part = await server.call('GET', `/parts/card/${grant.id}`, ada.headers);
    expect(part.headers.get('x-ape-pending')).toBe(String(before - 1));
    const brief = await page(`/parts/brief/${grant.id}`, ada);
    expect(brief).toContain(' · <span class="not-yours">you approved; one more person has to approve</span>');
    expect(brief).not.toContain('for another approver');
    expect(await page(`/parts/next/${second.id}`, bob)).toContain(`data-grant-id="${grant.id}"`);
    expect((await server.call('GET', `/parts/next/${second.id}`, ada.headers)).status).toBe(404);
  });

  it('is in no group with requests that this person can approve', async () => {
    const groups = async () =>
      (await page('/', ada))
        .split('<li class="group">')
        .filter((group) => group.includes('Read /d/') || group.includes('read /d/'));
    await quorum({ low: 2 });
    const files = [];
    for (const path of ['/d/a', '/d/b', '/d/c', '/d/d'])
      files.push(
        await server.pending(agent, `Read ${path}`, { kind: 'file', files: [{ ...READ, path, askedPath: path }] }),
      );
    expect(await groups()).toHaveLength(1);
    for (const file of files.slice(0, 2)) await approve(ada, file);
    const [one = '', other = ''] = await groups();
    const has = (text: string, file: GrantView | undefined) => text.includes(`data-grant-id="${file?.id}"`);
    expect([has(one, files[0]), has(one, files[2]), has(other, files[3])]).toEqual([true, false, true]);
    expect([one.includes('data-all="approve"'), other.includes('data-all="approve"')]).toEqual([false, true]);
    for (const { id } of files) await server.call('POST', `/v1/grants/${id}/withdraw`, agent.headers, {});
  });
});

describe('the buttons come back', () => {
  beforeEach(async () => {
    await approve(ada);
    expect(await cardFor(ada)).toContain(SENTENCE);
  });
  const areThere = async () => {
    const card = await cardFor(ada);
    expect(card).toMatch(AGAIN);
    expect(card).not.toContain('not-yours');
  };

  it('if another person approved something else, which makes the first approval void', async () => {
    await approve(bob, grant, { term: { kind: 'always' } });
    await areThere();
    expect(await cardFor(bob)).toContain(SENTENCE);
  });

  it('if fewer people are needed now: one more tap approves the request', async () => {
    await quorum({ medium: 1, high: 1, critical: 1 });
    await areThere();
    expect(await approve(ada)).toMatchObject({ state: 'approved' });
  });
});

it('a wider scope that needs more people leaves the buttons: this person alone can still approve exactly the request', async () => {
  const path = '/home/agent/x';
  const file = await server.pending(agent, 'Read', { kind: 'file', files: [{ ...READ, path, askedPath: path }] });
  const scope = { operations: ['read', 'write'], pathPrefix: '/home/agent' };
  expect(await approve(ada, file, { term: { kind: 'always' }, scope })).toMatchObject({ state: 'pending' });
  expect(await cardFor(ada, file)).toMatch(AGAIN);
  expect(await approve(ada, file)).toMatchObject({ state: 'approved' });
});

it('an approval by a delegation that has ended does not count: the limits decide again', async () => {
  const eve = await server.person('Eve');
  await setPerson(server.running.store, eve.id, { limits: { requesters: null, hosts: null, upTo: 'low' } }, at());
  const untilMs = Date.now() + 60_000;
  await setDelegation(server.running.store, { from: ada.id, to: eve.id, untilMs }, at());
  await approve(eve);
  expect(await cardFor(eve)).toContain(SENTENCE);
  await setDelegation(server.running.store, { from: ada.id, to: eve.id, untilMs: null }, at());
  expect(await cardFor(eve)).toContain('Your limits do not allow this decision');
});

const at = () => ({ nowMs: Date.now() });
const READ = { verb: 'read' as const, digest: null, resultDigest: null, bytes: null, danger: null };
