/** Requests that the inbox lets an approver decide together have the same requester, host, user, directory and variables. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Grant } from '../../src/core/grant/grant.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { fetchRequestText } from '../../src/core/tools/fetch.ts';
import { BriefLines } from '../../src/server/grants/brief-lines.ts';
import { pendingCall, pendingWrite } from '../browser/typical-requests.ts';
import { allRules } from '../core/rule-effects.ts';
import { type Person, TestServer } from './server-fixture.ts';
import { pendingLine } from './server-lines.ts';

let server: TestServer;
let here: Person;
let elsewhere: Person;
beforeAll(async () => {
  server = await TestServer.start({ rules: allRules });
  here = await server.requester('agent', 'box');
  elsewhere = await server.requester('agent', 'other');
});
afterAll(() => server.stop());

/**
 * Returns the key of the group of a stored request, after `change` has replaced some of its members.
 * @param deciding the variables that make the risk unknown
 */
async function groupKey(
  id: string,
  change: (grant: Grant) => Partial<Grant> = () => ({}),
  deciding: ExecutionRequest['environment'] = [],
) {
  const read = await server.running.store.read(async (rows) => {
    const grant = await rows.grant(id);
    if (grant === undefined) throw new Error('no such grant');
    const parts = { rules: allRules, mcpRules: [] };
    const changed = { ...grant, ...change(grant) };
    return (await new BriefLines().of(parts, rows, changed, async () => deciding)).groupKey;
  });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

it('no group has requests of two hosts, requesters, users, directories or environments', async () => {
  const [one, two] = [await pendingLine(server, here, 'touch a'), await pendingLine(server, here, 'touch b')];
  const key = await groupKey(one.id);
  expect(key).not.toBeNull();
  expect(await groupKey(two.id)).toBe(key);
  const changes: Readonly<Record<string, (grant: Grant) => Partial<Grant>>> = {
    host: ({ request }) => ({ request: { ...request, host: 'other' } }),
    user: ({ request }) => ({ request: { ...request, user: 'other' } }),
    cwd: ({ request }) => ({ request: { ...request, cwd: `${request.cwd}/sub` } }),
    environment: ({ request }) => ({ request: { ...request, environment: [{ name: 'PATH', value: '/tmp' }] } }),
    requesterId: () => ({ requesterId: elsewhere.id }),
  };
  for (const [name, change] of Object.entries(changes))
    expect([name, (await groupKey(two.id, change)) === key]).toEqual([name, false]);
});

it('the inbox groups two requests of one kind, but not with a request of another host of the same name and user', async () => {
  const owner = await server.owner();
  const inbox = async () => (await server.call<string>('GET', '/', owner)).body;
  await pendingLine(server, elsewhere, 'touch c', { host: 'other' });
  const page = await inbox();
  expect(page.match(/class="group"/g)).toHaveLength(1);
  expect(page).toContain('Approve all 2 once');
  await pendingLine(server, elsewhere, 'touch d', { host: 'other' });
  const both = await inbox();
  expect(both.match(/class="group"/g)).toHaveLength(2);
  expect(both.match(/Approve all 2 once/g)).toHaveLength(2);
});

const pendingFetch = (url: string) => {
  const fetches = [{ method: 'GET', url, origin: new URL(url).origin }] as const;
  return server.pending(here, fetchRequestText(fetches), { kind: 'fetch', fetches: [...fetches] });
};

it('requests of tools are grouped by what they do: the verb of a file, the tool of an MCP server, the host of an address', async () => {
  const key = async (grant: Promise<{ readonly id: string }>) => groupKey((await grant).id);
  const keys = await Promise.all([
    key(pendingWrite(server, here, 'a.ts', '+a\n')),
    key(pendingCall(server, here, { title: 'a' })),
    key(pendingFetch('https://docs.example.com/a')),
  ]);
  expect(new Set(keys).size).toBe(3);
  expect(keys).not.toContain(null);
  expect(await key(pendingWrite(server, here, 'b.ts', '+b\n'))).toBe(keys[0]);
  expect(await key(pendingCall(server, here, { title: 'b' }))).toBe(keys[1]);
  expect(await key(pendingCall(server, here, { title: 'b' }, 'delete_repository'))).not.toBe(keys[1]);
  expect(await key(pendingFetch('https://docs.example.com/b?c'))).toBe(keys[2]);
  expect(await key(pendingFetch('https://example.com/a'))).not.toBe(keys[2]);
});

it('a request that the inbox does not show whole is in no group', async () => {
  const long = '+x\n'.repeat(40);
  expect(await groupKey((await pendingWrite(server, here, 'long.ts', long)).id)).toBeNull();
  expect(await groupKey((await pendingWrite(server, here, 'wide.ts', `+${'x'.repeat(2_000)}\n`)).id)).toBeNull();
  expect(await groupKey((await pendingCall(server, here, { body: 'x'.repeat(2_000) })).id)).toBeNull();
});

it('lines of different risks are in different groups, also when a variable makes the risk of each unknown', async () => {
  const deciding = [{ name: 'LD_PRELOAD', value: '/tmp/a.so' }];
  const key = async (text: string) => groupKey((await pendingLine(server, here, text)).id, undefined, deciding);
  const [one, two, critical] = [await key('rm -rf one'), await key('rm -rf two'), await key('rm -rf /')];
  expect(one).not.toBeNull();
  expect(two).toBe(one);
  expect(critical).not.toBe(one);
});

it('a request with letters that only look alike, or with characters that cannot be seen, is in no group', async () => {
  const texts = ['curl https://p\u0430ypal.com', 'touch a\u202eb', 'touch a\u200bb', 'touch a\u001bb'];
  for (const text of texts)
    expect([text, await groupKey((await pendingLine(server, here, text)).id)]).toEqual([text, null]);
  const written = await pendingWrite(server, here, 'r\u0435ad.ts', '+a\n');
  expect(await groupKey(written.id)).toBeNull();
  // A dash in a text that is written deceives no one.
  expect(await groupKey((await pendingWrite(server, here, 'c.ts', '+one \u2013 two\n')).id)).not.toBeNull();
});
