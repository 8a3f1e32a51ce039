/** Orders to hosts, at the server: which hosts are asked, which may answer, and what a host can do that lies, is slow or has left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrderAnswer, RunningHost } from '../../src/core/wire/running.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { HostLinks } from '../../src/server/hosts/host-links.ts';
import {
  MAX_GONE_HOSTS,
  MAX_HOST_ANSWER_MS,
  MAX_HOST_LIST_MS,
  MAX_ORDER_ANSWER_BYTES,
  MAX_SCREEN_LOOKS,
  MAX_WATCHED_EVENTS,
} from '../../src/server/limits.ts';
import type { EventReader } from './event-reader.ts';
import { acted, connectHost, listOf, type Order, SESSION, screenOf } from './running-host.ts';
import { type Person, TestServer } from './server-fixture.ts';

let server: TestServer;
let agent: Person;
let owner: Readonly<Record<string, string>>;
const open: EventReader[] = [];
beforeEach(async () => {
  server = await TestServer.start();
  agent = await server.requester('agent <b>');
  owner = await server.owner();
});
afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await server.stop();
});

async function connect(answer: (order: Order) => OrderAnswer | null, who = agent): Promise<EventReader> {
  const stream = await connectHost(server, who, answer);
  open.push(stream);
  return stream;
}

const screen = screenOf('<img src=x>', '\u202Eabc');
const act = (verb: string, headers = owner, id = SESSION, whose = agent.id) =>
  server.call<{ error: { code: string } }>('POST', `/v1/running/${whose}/${id}/${verb}`, headers);
const running = async () => (await server.call<{ hosts: RunningHost[] }>('GET', '/v1/running', owner)).body.hosts;
const recorded = async () => {
  const { body } = await server.call<{ events: { kind: string; facts: object }[] }>(
    'GET',
    '/v1/audit?limit=1000',
    owner,
  );
  return body.events.filter(({ kind }) => kind.startsWith('running.')).map(({ kind, facts }) => ({ kind, ...facts }));
};

describe('a connected host', () => {
  it('is asked only when an approver looks', async () => {
    const stream = await connect(() => listOf());
    await sleep(300);
    expect(stream.seen).toEqual([]);
    expect(await running()).toMatchObject([{ requesterId: agent.id, state: 'here', sessions: [{ id: SESSION }] }]);
    expect(stream.seen).toHaveLength(1);
  });

  it('carries out an order; the order and its answer are recorded', async () => {
    await connect(() => acted);
    expect(await act('hold')).toMatchObject({ status: 200, body: { processes: 3, notHeld: [] } });
    expect(await recorded()).toMatchObject([
      { kind: 'running.ordered', requesterId: agent.id, target: SESSION, act: 'hold' },
      { kind: 'running.answered', act: 'hold', outcome: 'done', processes: 3 },
    ]);
  });

  it('shows the text only of its own grants', async () => {
    const other = await server.requester('other', 'box', 'other');
    const own = await server.pending(agent, 'make all');
    const foreign = await server.pending(other, 'cat secret', { user: 'other' });
    const command = (grantId: string) => ({ grantId, processes: 1, startedAtMs: 1, heldSinceMs: null });
    await connect(() => listOf([command(own.id), command(foreign.id)]));
    expect((await running())[0]?.commands.map(({ text }) => text)).toEqual(['make all', null]);
  });

  it('has its texts escaped on the pages', async () => {
    await connect(({ does }) => (does === 'screen' ? screen : listOf()));
    const page = async (path: string) =>
      (await server.call<string>('GET', path, { ...owner, accept: 'text/html' })).body;
    const all = [await page('/sessions'), await page(`/sessions/${agent.id}/${SESSION}`)].join('');
    for (const raw of ['<script>alert', '<img src=x', 'agent <b>', '\u202E']) expect(all).not.toContain(raw);
    expect(all).toContain('&lt;img src=x&gt;');
  });

  it('has screens that the app must not cache', async () => {
    await connect(({ does }) => (does === 'screen' ? screen : listOf()));
    for (const path of ['/sessions', `/sessions/${agent.id}/${SESSION}`]) {
      const { headers } = await server.call('GET', path, { ...owner, accept: 'text/html' });
      expect([headers.get('x-ape-page'), headers.get('cache-control')]).toEqual([null, 'no-store']);
    }
  });

  it('causes one record of a person who looks at a screen, not one every second', async () => {
    await connect(() => screen);
    for (let look = 0; look < 3; look += 1)
      expect((await server.call('GET', `/v1/running/${agent.id}/${SESSION}/screen`, owner)).status).toBe(200);
    expect((await recorded()).map(({ kind }) => kind)).toEqual(
      Array(MAX_WATCHED_EVENTS.atOnce).fill('running.watched'),
    );
  });

  it('is not asked for screens faster than an approver can look', async () => {
    await connect(() => screen);
    const looks = Array.from({ length: MAX_SCREEN_LOOKS.atOnce + 20 }, () =>
      server.call('GET', `/v1/running/${agent.id}/${SESSION}/screen`, owner),
    );
    expect((await Promise.all(looks)).map(({ status }) => status)).toContain(429);
  });

  it('leaves its last known state behind, for at most `MAX_GONE_HOSTS` hosts', () => {
    const links = new HostLinks(systemClock, () => 'o_1');
    for (let each = 0; each < MAX_GONE_HOSTS + 3; each += 1) links.close(links.open(`s_${each}`, () => undefined));
    expect(links.all).toHaveLength(MAX_GONE_HOSTS);
    expect(links.all.at(-1)?.subjectId).toBe(`s_${MAX_GONE_HOSTS + 2}`);
  });
});

describe('a host that fails', () => {
  it('is named if it does not answer, and its last known state is shown', async () => {
    let isSilent = false;
    await connect(() => (isSilent ? null : listOf()));
    await running();
    isSilent = true;
    const took = async (work: () => Promise<unknown>) => {
      const beganMs = performance.now();
      await work();
      return performance.now() - beganMs;
    };
    expect(await took(running)).toBeGreaterThan(MAX_HOST_LIST_MS - 50);
    expect(await running()).toMatchObject([{ state: 'slow', sessions: [{ id: SESSION }] }]);
    expect(await took(() => act('hold'))).toBeGreaterThan(MAX_HOST_ANSWER_MS - 50);
    expect(await act('hold')).toMatchObject({ status: 504, body: { error: { code: 'host.slow' } } });
    expect((await recorded()).at(-1)).toMatchObject({ kind: 'running.answered', outcome: 'silent' });
  });

  it('is named if it left, at once even if it left during an order', async () => {
    expect(await act('hold')).toMatchObject({ status: 503, body: { error: { code: 'host.gone' } } });
    expect(await recorded(), 'nothing was ordered').toEqual([]);
    const stream = await connect(({ does }) => (does === 'list' ? listOf() : null));
    await running();
    const ordered = act('kill');
    await stream.until(({ data }) => (data as unknown as Order).does === 'kill');
    stream.close();
    expect(await ordered).toMatchObject({ status: 503, body: { error: { code: 'host.gone' } } });
    expect(await running()).toMatchObject([{ state: 'gone', sessions: [{ id: SESSION }] }]);
  });

  it('is not taken for a host without the session if another connection of the requester was lost during the order', async () => {
    await connect(() => ({ kind: 'failed', why: 'not-here', message: 'not here' }));
    const leaving = await connect(() => null);
    const ordered = act('kill');
    await leaving.until(() => true);
    leaving.close();
    expect(await ordered).toMatchObject({ status: 503, body: { error: { code: 'host.gone' } } });
    expect((await recorded()).at(-1)).toMatchObject({ kind: 'running.answered', outcome: 'gone' });
  });

  it('is shown with its last list if it cannot list what runs', async () => {
    let isAble = true;
    await connect(() => (isAble ? listOf() : { kind: 'failed', why: 'unable', message: 'too many open files' }));
    await running();
    isAble = false;
    expect(await running()).toMatchObject([{ state: 'slow', sessions: [{ id: SESSION }] }]);
  });

  it('is refused an answer that is malformed, is too long, or belongs to another host', async () => {
    const other = await server.requester('other', 'box', 'other');
    const stream = await connect(() => null);
    const ordered = act('hold');
    const { data } = await stream.until(() => true);
    const answer = (body: unknown, who = agent, id = data.id) =>
      server.call<{ error: { code: string } }>('POST', `/v1/orders/${id}/answer`, who.headers, body);
    expect((await answer(acted, other)).status, 'of another requester').toBe(404);
    expect((await answer({ kind: 'acted' })).status).toBe(400);
    expect((await answer({ ...acted, more: 1 })).status).toBe(400);
    expect((await answer({ kind: 'failed', why: 'unable', message: 'x'.repeat(5_000) })).status).toBe(400);
    expect((await answer(`"${'x'.repeat(MAX_ORDER_ANSWER_BYTES)}"`)).status).toBe(413);
    expect((await answer(acted, agent, 'unknown')).status).toBe(404);
    expect((await answer(acted)).status).toBe(204);
    expect((await answer(acted)).status, 'a second time').toBe(404);
    expect((await ordered).status).toBe(200);
  });

  it('is disconnected within a second after it was revoked', async () => {
    const stream = await connect(() => acted);
    expect((await act('hold')).status).toBe(200);
    await server.call('POST', `/v1/requesters/${agent.id}/revoke`, owner);
    const beganMs = performance.now();
    await stream.ended;
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    expect((await act('hold')).status).toBe(503);
    expect(await running()).toEqual([]);
  });
});

describe('the right', () => {
  it('to look, hold and end belongs to approvers; the right to get and answer orders belongs to requesters', async () => {
    await connect(() => acted);
    for (const verb of ['hold', 'continue', 'kill']) expect((await act(verb, agent.headers)).status, verb).toBe(403);
    expect((await server.call('GET', '/v1/running', agent.headers)).status).toBe(403);
    expect((await server.call('GET', `/v1/running/${agent.id}/${SESSION}/screen`, agent.headers)).status).toBe(403);
    const key = await server.approverKey();
    expect((await server.call('GET', '/v1/orders', key.headers)).status).toBe(403);
    expect((await server.call('POST', '/v1/orders/x/answer', key.headers, acted)).status).toBe(403);
  });

  it('to act does not exist for a page of another site or a page without its token', async () => {
    await connect(() => acted);
    const { 'x-csrf-token': _, ...without } = owner as Record<string, string>;
    expect((await act('hold', without)).status).toBe(403);
    expect((await act('hold', { ...owner, origin: 'https://evil.example' })).status).toBe(403);
  });

  it('to act does not exist for an unknown session or host', async () => {
    expect((await act('destroy')).status).toBe(400);
    expect((await act('hold', owner, SESSION, 's_unknown')).body.error.code).toBe('requester.not_found');
  });
});
