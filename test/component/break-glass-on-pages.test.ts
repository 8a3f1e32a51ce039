/** While a break-glass code is in use, every page says so to each person, also to people without a notification channel. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { csrfTokenOf } from '../../src/server/identity/authentication.ts';
import { TestServer } from './server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
const LINE = '<strong>Safe (break-glass)</strong> decides alone until <time';
const PAGES = ['/', '/history', '/standing', '/settings'];

let server: TestServer;
let owner: Headers;
let nowMs = Date.UTC(2026, 5, 10, 12);
beforeAll(async () => {
  server = await TestServer.start({ clock: () => nowMs });
  owner = await server.owner();
});
afterAll(() => server.stop());

const page = async (path: string, by: Headers) => (await server.call<string>('GET', path, by)).body;

async function opened(): Promise<Headers> {
  const { code } = (await server.call<{ code: string }>('POST', '/v1/break-glass', owner, { name: 'Safe' })).body;
  const answer = await server.call('POST', '/v1/sign-in/recovery-code', { origin: server.url }, { code });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, origin: server.url, 'x-csrf-token': csrfTokenOf(cookie.split('=')[1] ?? '') };
}

it('the notice is on each page of an approver, an approver with limits, an auditor and the owner, until the time of the code is over', async () => {
  const limits = { requesters: [], hosts: [], upTo: 'low' } as const;
  const people = [
    owner,
    (await server.person('Ada')).headers,
    (await server.person('Lim', 'approver', limits)).headers,
    (await server.person('Aud', 'auditor')).headers,
  ];
  for (const by of people) expect(await page('/', by)).not.toContain('decides alone');
  const glass = await opened();
  for (const by of people) for (const path of PAGES) expect(await page(path, by)).toContain(LINE);
  const own = await page('/', glass);
  expect(own).toContain('You signed in with a break-glass code');
  expect(own).not.toContain(LINE);
  nowMs += 15 * 60_000;
  for (const by of people) expect(await page('/', by)).not.toContain('decides alone');
});

it('the notice is gone when the owner ends the use of the code', async () => {
  owner = await server.owner();
  await opened();
  expect(await page('/history', owner)).toContain(LINE);
  const { open } = (await server.call<{ open: { id: string }[] }>('GET', '/v1/break-glass', owner)).body;
  expect((await server.call('POST', `/v1/break-glass/${open[0]?.id}/end`, owner, {})).status).toBe(204);
  expect(await page('/history', owner)).not.toContain(LINE);
});
