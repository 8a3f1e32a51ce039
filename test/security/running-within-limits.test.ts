/** An approver with limits sees only commands and sessions within the limits, and can hold or end none of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { RunningHost } from '../../src/core/wire/running.ts';
import { visibleRequesters } from '../../src/server/hosts/may-see.ts';
import type { Subject } from '../../src/store/store.ts';
import type { EventReader } from '../component/event-reader.ts';
import { acted, connectHost, listOf, SESSION, screenOf } from '../component/running-host.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';

type Headers = Readonly<Record<string, string>>;
let server: TestServer;
let near: Person;
let far: Person;
let streams: readonly EventReader[];
let orders: string[];
beforeEach(async () => {
  server = await TestServer.start();
  orders = [];
  near = await server.requester('near', 'a');
  far = await server.requester('far', 'b');
  streams = await Promise.all(
    [near, far].map((who) =>
      connectHost(server, who, ({ does }) => {
        orders.push(`${who.id} ${does}`);
        return does === 'list' ? listOf() : does === 'screen' ? screenOf('secret of it') : acted;
      }),
    ),
  );
});
afterEach(async () => {
  for (const stream of streams) stream.close();
  await server.stop();
});

const limited = async (limits: object, name = 'Grace') =>
  server.person(name, 'approver', { requesters: null, hosts: null, upTo: 'low', ...limits } as never);
const seenBy = async (headers: Headers): Promise<readonly string[]> => {
  const { body } = await server.call<{ hosts: readonly RunningHost[] }>('GET', '/v1/running', headers);
  return body.hosts.map(({ name }) => name).toSorted();
};
const screen = (headers: Headers, of: Person, before = '/v1/running', after = '/screen') =>
  server.call<ErrorBody & string>('GET', `${before}/${of.id}/${SESSION}${after}`, headers);

describe.each([
  ['hosts', () => ({ hosts: ['a'] })],
  ['requesters', () => ({ requesters: [near.id] })],
])('an approver with limits for %s', (_name, limits) => {
  let headers: Headers;
  beforeEach(async () => {
    ({ headers } = await limited(limits()));
  });

  it('sees only the commands within the limits in the list; a host outside them is not even asked', async () => {
    expect(await seenBy(headers)).toEqual(['near']);
    expect(orders).toEqual([`${near.id} list`]);
    const { body } = await server.call<string>('GET', '/sessions', headers);
    expect([body.includes(near.id), body.includes(far.id)]).toEqual([true, false]);
  });

  it('can look at screens within the limits, by the API and by the pages', async () => {
    expect((await screen(headers, near)).status).toBe(200);
    const refused = await screen(headers, far);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'approver.limits']);
    for (const [before, after] of [
      ['/sessions', ''],
      ['/parts/screen', ''],
    ] as const) {
      expect((await screen(headers, near, before, after)).body).toContain('secret of it');
      const page = (await screen(headers, far, before, after)).body;
      expect([page.includes('secret of it'), page.includes('limits do not include')]).toEqual([false, true]);
    }
    expect(orders).not.toContain(`${far.id} screen`);
  });

  it.each(['hold', 'continue', 'kill'])('cannot %s anything', async (act) => {
    for (const each of [near, far])
      expect((await server.call('POST', `/v1/running/${each.id}/${SESSION}/${act}`, headers)).status).toBe(403);
    expect(orders).toEqual([]);
  });

  it('does not see the sessions of the installation of the server', async () => {
    for (const path of ['/v1/sessions', `/v1/sessions/${SESSION}`])
      expect((await server.call('GET', path, headers)).status).toBe(403);
  });
});

it('an approver with limits also sees what another person delegated, until that ends, and what belongs to the approver', async () => {
  const [grace, ada] = [await limited({ hosts: ['a'] }), await limited({ hosts: ['b'] }, 'Ada')];
  const owner = await server.owner();
  const delegation = { from: ada.id, to: grace.id, untilMs: Date.now() + 60_000 };
  expect((await server.call('POST', '/v1/people-rules', owner, { delegation })).status).toBe(200);
  expect(await seenBy(grace.headers)).toEqual(['far', 'near']);
  await server.call('POST', '/v1/people-rules', owner, { delegation: { ...delegation, untilMs: null } });
  expect(await seenBy(grace.headers)).toEqual(['near']);
  await server.call('POST', `/v1/people/${grace.id}`, owner, { own: [far.id] });
  expect(await seenBy(grace.headers)).toEqual(['far', 'near']);
});

it('a requester sees nothing', async () => {
  const seen = await server.running.store.read(async (rows) => {
    const [by, other] = [await rows.subject(near.id), await rows.subject(far.id)];
    const sight = by === undefined ? undefined : await visibleRequesters(rows, by, Date.now());
    return sight?.ok && other !== undefined && [sight.value(by as Subject), sight.value(other)];
  });
  expect(seen).toMatchObject({ ok: true, value: [false, false] });
});

it('the owner, an owner key, an approver without limits and an auditor see everything', async () => {
  const who = [
    await server.owner(),
    (await server.approverKey()).headers,
    (await server.person('Ada')).headers,
    (await server.person('Audrey', 'auditor')).headers,
  ];
  for (const headers of who) expect(await seenBy(headers)).toEqual(['far', 'near']);
});
