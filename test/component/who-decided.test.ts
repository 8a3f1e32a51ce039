/** The card of a request, its row in the history and its standing card say who approved, denied or revoked it, also without scripts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import { setQuorum } from '../../src/server/identity/people-administration.ts';
import { endRestored } from '../../src/server/identity/restored.ts';
import { type Person, TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;

let server: TestServer;
let owner: Headers;
let ada: Headers;
let grace: Headers;
let agent: Person;

beforeAll(async () => {
  server = await TestServer.start();
  owner = await server.owner();
  ada = (await server.person('Ada <b>')).headers;
  grace = (await server.person('Grace')).headers;
  agent = await server.requester();
});
afterAll(() => server.stop());

async function approved(text: string, by: Headers, kind: 'once' | 'always') {
  const grant = await server.pending(agent, text);
  const answer = await server.decide(by, grant.id, 'approve', { version: grant.version, term: { kind } });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function denied(text: string, by: Headers) {
  const grant = await server.pending(agent, text);
  const answer = await server.decide(by, grant.id, 'deny', { version: grant.version, reason: 'too wide' });
  expect(answer.status).toBe(200);
  return answer.body;
}

const pageOf = async (path: string) => (await server.call<string>('GET', path, owner)).body;
const outcomeOf = async (id: string) => /<p class="outcome">.*?<\/p>/.exec(await pageOf(`/grants/${id}`))?.[0] ?? '';
const partOf = (page: string, id: string) =>
  page.split('data-grant-id="').find((part) => part.startsWith(id)) ?? 'not on the page';
const rowOf = async (id: string) => partOf(await pageOf('/history'), id);

describe('the person who decided', () => {
  it('is named on the card, in the history and among the standing approvals', async () => {
    const { id } = await approved('ls standing', ada, 'always');
    expect(await outcomeOf(id)).toMatch(
      /^<p class="outcome">Approved <time [^>]*>[^<]*<\/time> by Ada &lt;b&gt;: always/,
    );
    expect(await rowOf(id)).toContain(' · approved by Ada &lt;b&gt;');
    expect(partOf(await pageOf('/standing'), id)).toContain(' by Ada &lt;b&gt;: always');
    const { body: row } = await server.call<string>('GET', `/parts/row/${id}`, owner);
    expect(row).toContain(' · approved by Ada &lt;b&gt;');
  });

  it('is named for a denial, and for an approval that was used', async () => {
    const { id } = await denied('ls denied', grace);
    expect(await outcomeOf(id)).toMatch(/Denied <time [^>]*>[^<]*<\/time> by Grace: “too wide”/);
    expect(await rowOf(id)).toContain(' · denied by Grace');
    const once = await approved('ls once', grace, 'once');
    expect((await server.redeem(agent, once)).status).toBe(200);
    expect(await outcomeOf(once.id)).toContain('Approved once by Grace, and used');
    expect(await rowOf(once.id)).toContain(' · approved by Grace');
  });

  it('is named beside the person who revoked the approval', async () => {
    const { id, version } = await approved('ls revoked', ada, 'always');
    expect((await server.decide(grace, id, 'revoke', { version })).status).toBe(200);
    const outcome = await outcomeOf(id);
    expect(outcome).toMatch(/Revoked <time [^>]*>[^<]*<\/time> by Grace/);
    expect(outcome).toContain(' · approved by Ada &lt;b&gt;');
    expect(await rowOf(id)).toContain(' · revoked by Grace, approved by Ada &lt;b&gt;');
  });

  it('is named as a break-glass code if a code decided', async () => {
    const { code } = (await server.call<{ code: string }>('POST', '/v1/break-glass', owner, { name: 'Safe' })).body;
    const headers = { origin: server.url };
    const signedIn = await server.call('POST', '/v1/sign-in/recovery-code', headers, { code });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const token = csrfTokenOf(cookie.split('=')[1] ?? '');
    const { id } = await approved('ls glass', { cookie, origin: server.url, 'x-csrf-token': token }, 'always');
    expect(await outcomeOf(id)).toContain(' by Safe (break-glass): until');
    expect(await rowOf(id)).toContain(' · approved by Safe (break-glass)');
  });

  it('is each of several people who approved, and the person who denied what another person had approved', async () => {
    expect((await setQuorum(server.running.store, { low: 2 }, { nowMs: Date.now() })).ok).toBe(true);
    const approve = async (by: Headers, { id }: { readonly id: string }) => {
      const { version } = (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body;
      return (await server.decide(by, id, 'approve', { version, term: { kind: 'once' } })).body.state;
    };
    const [both, half] = [await server.pending(agent, 'ls both'), await server.pending(agent, 'ls half')];
    expect([await approve(ada, both), await approve(grace, both)]).toEqual(['pending', 'approved']);
    expect(await rowOf(both.id)).toContain(' · approved by Ada &lt;b&gt;, Grace');
    expect(await approve(ada, half)).toBe('pending');
    expect((await server.decide(grace, half.id, 'deny', { version: half.version })).status).toBe(200);
    expect(await rowOf(half.id)).toContain(' · denied by Grace<');
    expect((await setQuorum(server.running.store, { low: 1 }, { nowMs: Date.now() })).ok).toBe(true);
  });

  it('is not named before a decision', async () => {
    const { id } = await server.pending(agent, 'ls waiting');
    expect(await rowOf(id)).not.toContain(' by ');
    expect((await server.call('POST', `/v1/grants/${id}/withdraw`, agent.headers)).status).toBe(200);
    expect(await rowOf(id)).not.toContain(' by ');
  });

  it('is not named as the revoker of what the server revoked after a restore', async () => {
    const { id } = await approved('ls restored', ada, 'always');
    expect((await endRestored(server.running.store, Date.now())).ok).toBe(true);
    owner = await server.owner();
    const outcome = await outcomeOf(id);
    expect(outcome).toContain('Revoked');
    expect(outcome).toContain(' · approved by Ada &lt;b&gt;');
    expect(outcome).not.toContain('</time> by');
  });
});
