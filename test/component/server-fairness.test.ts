/** However many or long the requests of one requester are, every list still shows the requests of the others. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { MAX_PENDING_BYTES_PER_REQUESTER } from '../../src/server/limits.ts';
import { MAX_LISTED_REQUEST_BYTES } from '../../src/store/listed-request.ts';
import { MAX_PAST_REQUEST_BYTES } from '../../src/store/store.ts';
import { FINDINGS, must, sampleGrant } from '../contract/store-samples.ts';
import { type Person, requestFor, TestServer } from './server-fixture.ts';

let server: TestServer;
let alice: Person;
let bob: Person;
let owner: Readonly<Record<string, string>>;
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.now();
  server = await TestServer.start({ clock: () => nowMs });
  alice = await server.requester('alice', 'box-a');
  bob = await server.requester('bob', 'box-b');
  owner = await server.owner();
});
afterEach(() => server.stop());

const LONG = 'x'.repeat(3_900_000);
const fileFor = (who: Person, text: string) => server.pending(who, text, { host: who === alice ? 'box-a' : 'box-b' });
const listed = async (query: string) =>
  (await server.call<{ readonly grants: readonly GrantView[] }>('GET', `/v1/grants?${query}`, owner)).body.grants;
const inbox = async () => (await server.call<string>('GET', '/', owner)).body;
const cardOf = (page: string, id: string): string =>
  /^[\s\S]*?<\/article>/.exec(page.slice(page.indexOf(`id="${id}"`)))?.[0] ?? '';

/** Writes into the database what a requester could file in an hour. */
async function fillFor(who: Person, count: number, text: string, more: Parameters<typeof sampleGrant>[1] = {}) {
  const subject = must(await server.running.store.read((rows) => rows.subject(who.id)));
  if (subject === undefined) throw new Error('no subject');
  must(
    await server.running.store.write(async (rows) => {
      for (let number = 0; number < count; number += 1) {
        const request = requestFor(`${text}${number}`, { host: subject.host });
        const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 3_600_000 };
        await rows.insertGrant(sampleGrant(subject, { request, ...times, ...more }), FINDINGS);
      }
    }),
  );
}

describe('a requester that fills the inbox', () => {
  it.each(['older', 'newer'])('hides no %s request of another requester', async (age) => {
    const older = age === 'older' ? await fileFor(alice, 'mine') : null;
    nowMs += 10;
    await fillFor(bob, 500, ': ');
    nowMs += 10;
    const mine = older ?? (await fileFor(alice, 'mine'));
    expect(await inbox()).toContain(`id="${mine.id}"`);
    expect((await listed('state=pending&order=turns&limit=2')).map(({ id }) => id)).toContain(mine.id);
  });

  it('hides no request with long texts either: they are cut, say so, and are decided on pages of their own', async () => {
    const mine = await fileFor(alice, 'mine');
    const long = [];
    for (let count = 0; count < 5; count += 1) long.push(await fileFor(bob, `${LONG}${count}`));
    const page = await inbox();
    expect(page.length).toBeLessThan(300_000);
    for (const { id } of [mine, ...long]) expect(page).toContain(`href="/grants/${id}"`);
    expect(page).not.toContain('data-all="approve"'); // a person cannot decide requests that the page does not show
    const shown = await listed('state=pending&limit=200');
    expect(shown).toHaveLength(6);
    expect(JSON.stringify(shown).length).toBeLessThan(6 * MAX_LISTED_REQUEST_BYTES);
    expect(shown.filter(({ cutFrom = 0 }) => cutFrom > LONG.length)).toHaveLength(5);
    const id = long[0]?.id ?? '';
    const whole = (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body;
    expect([whole.request.text.length, whole.cutFrom]).toEqual([LONG.length + 1, undefined]);
    const ownPage = (await server.call<string>('GET', `/grants/${id}`, owner)).body;
    expect(cardOf(ownPage, id)).toContain('data-verb="approve"');
    for (const [query, most] of [
      ['', 100_000],
      ['?whole=', 20_000_000],
    ] as const)
      expect((await server.call<string>('GET', `/parts/card/${id}${query}`, owner)).body.length).toBeLessThan(most);
  });

  it('may have a limited number of bytes waiting, and gets a refusal beyond it', async () => {
    const fits = Math.floor(MAX_PENDING_BYTES_PER_REQUESTER / (LONG.length + 300));
    await fillFor(bob, fits, LONG);
    const more = await server.ask(bob, `${LONG}more`, { host: 'box-b' });
    expect([more.status, (more.body as ErrorBody).error.code, more.headers.get('retry-after')]).toEqual([
      429,
      'server.too_many',
      '1',
    ]);
    expect((await server.ask(alice, LONG, { host: 'box-a' })).status).toBe(202);
  });

  it('uses no memory for its earlier requests: a text that is too long to serve as evidence is not read', async () => {
    await fillFor(bob, 30, 'y'.repeat(2_000_000), { state: 'withdrawn' });
    nowMs += 10;
    await fillFor(bob, 3, 'ls ', { state: 'withdrawn' });
    const past = must(await server.running.store.read((rows) => rows.pastRequests(bob.id, 200)));
    expect(past.map(({ request }) => request.text.slice(0, 3))).toEqual(['ls ', 'ls ', 'ls ']);
    expect(JSON.stringify(past).length).toBeLessThan(3 * MAX_PAST_REQUEST_BYTES);
    const startedMs = performance.now();
    expect((await server.call('GET', '/rules', owner)).status).toBe(200);
    console.log(`/rules after 60 MB of requests: ${Math.round(performance.now() - startedMs)} ms`);
  });
});

describe('a list in pages', () => {
  it('has each row once, even if hundreds of rows have the same millisecond', async () => {
    await fillFor(bob, 130, ': ');
    const byApi: string[] = [];
    for (let last = ''; ; ) {
      const page = await listed(`limit=7${last}`);
      byApi.push(...page.map(({ id }) => id));
      const end = page.at(-1);
      if (end === undefined) break;
      last = `&before=${end.createdAtMs}&beforeId=${end.id}`;
    }
    expect([byApi.length, new Set(byApi).size]).toEqual([130, 130]);

    // Lines that ran without a request of their own are between the requests.
    must(
      await server.running.store.write(async (rows) => {
        for (let count = 0; count < 70; count += 1)
          rows.record({
            kind: 'policy.used',
            atMs: nowMs,
            actorId: bob.id,
            grantId: null,
            enrolmentId: null,
            facts: { line: `covered ${count} end`, fingerprint: String(count), policyId: 'p_none' },
          });
      }),
    );
    const seen: string[] = [];
    for (let path: string | undefined = '/history'; path !== undefined; ) {
      const { body }: { readonly body: string } = await server.call<string>('GET', path, owner);
      seen.push(...[...body.matchAll(/data-grant-id="(g_[^"]+)"|covered \d+ end/g)].map(([all, id]) => id ?? all));
      path = /href="(\/history\?before=[^"]+)"/.exec(body)?.[1];
    }
    expect([seen.length, new Set(seen).size]).toEqual([200, 200]);
  });
});
