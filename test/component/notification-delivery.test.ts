/** Which notifications are sent, when, to whom and how often: preferences, escalation, restarts, two servers. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Rota } from '../../src/core/wire/people.ts';
import { OWNER_ID } from '../../src/server/identity/administration.ts';
import { setQuorum, writeRota } from '../../src/server/identity/people-administration.ts';
import { type Postgres, startPostgres } from '../contract/postgres.ts';
import {
  addChannel,
  notificationsOf,
  prefer,
  type Receiver,
  resultOf,
  startReceiver,
  until,
} from './notification-sinks.ts';
import { TestServer } from './server-fixture.ts';

const setRota = ({ running }: TestServer, rota: Rota) => writeRota(running.store, rota, { nowMs: Date.now() });

/** The server looks every 2 s. */
const LOOKED_MS = 2_600;
const MINUTE_MS = 60_000;

let receiver: Receiver;
let server: TestServer;
let nowMs: number;
const settings = () => ({ relay: null, allowedHosts: [receiver.host] });
const toHook = (path = '/hook') => ({ kind: 'webhook', name: path, url: `${receiver.url}${path}` });
const bodies = () => receiver.received.map(({ path, body }) => ({ path, ...JSON.parse(body.toString()) }));
const arrived = (count: number) =>
  until(
    () => receiver.received.length,
    (length) => length >= count,
  );

beforeEach(async () => {
  nowMs = Date.parse('2026-06-10T12:00:00Z');
  receiver = await startReceiver();
  server = await TestServer.start({ clock: () => nowMs, notifications: settings() });
});
afterEach(async () => {
  await server.stop();
  await receiver.stop();
});

describe('a notification is sent', () => {
  it('only for a request that still waits at that moment: quiet hours delay it, and a decision meanwhile prevents it', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    await addChannel(server, owner, toHook());
    await prefer(server, owner, { quiet: { from: 13 * 60, to: 15 * 60, timeZone: 'Europe/Berlin' } }); // 14:00 there
    const decided = await server.pending(agent, 'echo decided meanwhile');
    const waiting = await server.pending(agent, 'echo still waits');
    await sleep(LOOKED_MS);
    expect(bodies()).toEqual([]);
    await server.decide(owner, decided.id, 'deny', { version: 1 });
    nowMs += 59 * MINUTE_MS;
    await sleep(LOOKED_MS);
    expect(bodies()).toEqual([]);
    nowMs += MINUTE_MS;
    await arrived(1);
    await sleep(LOOKED_MS);
    expect(bodies().map(({ data }) => data.grantId)).toEqual([waiting.id]);
  });

  it('without any part of the request if the approver chose so', async () => {
    const owner = await server.owner();
    const agent = await server.requester('agent-name');
    await addChannel(server, owner, toHook());
    await prefer(server, owner, { shows: 'nothing' });
    const grant = await server.pending(agent, 'echo private', { cwd: '/home/secret' });
    await arrived(1);
    const text = receiver.received[0]?.body.toString() ?? '';
    expect(JSON.parse(text).data).toEqual({ grantId: grant.id, url: `${server.url}/grants/${grant.id}` });
    expect(text).not.toMatch(/private|secret|agent-name|box/);
  });

  it('only from the chosen risk on; a line that is not understood counts as critical', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    await addChannel(server, owner, toHook());
    await prefer(server, owner, { minimumRisk: 'critical' });
    await server.pending(agent, 'no-such-tool --all'); // without rules no line is understood
    await arrived(1);
    expect(bodies()[0].data.risk).toBe('unknown');
  });

  it('for no request that was filed before there was a channel', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    await server.pending(agent, 'echo before');
    await addChannel(server, owner, toHook());
    const after = await server.pending(agent, 'echo after');
    await arrived(1);
    await sleep(LOOKED_MS);
    expect(bodies().map(({ data }) => data.grantId)).toEqual([after.id]);
  });

  it('about decisions of other people and expired requests if the approver wants it; never about their own decision', async () => {
    const owner = await server.owner();
    const colleague = await server.approverKey();
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    await addChannel(server, colleague.headers, toHook('/colleague'));
    await prefer(server, owner, { decided: true, expired: true });
    await prefer(server, colleague.headers, { decided: true, onlyWhenEscalated: true });
    const grant = await server.pending(agent, 'echo one');
    await server.decide(colleague.headers, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    await until(bodies, (all) => all.some(({ type }) => type === 'grant.decided'));
    const lost = await server.pending(agent, 'echo nobody decides this');
    await until(bodies, (all) => all.some(({ data }) => data.grantId === lost.id));
    nowMs += 49 * 3_600_000;
    const all = await until(bodies, (found) => found.some(({ type }) => type === 'grant.expired'));
    await sleep(LOOKED_MS);
    expect(all.find(({ type }) => type === 'grant.decided')).toMatchObject({
      path: '/owner',
      data: { state: 'approved' },
    });
    expect(all.find(({ type }) => type === 'grant.expired')).toMatchObject({
      path: '/owner',
      data: { grantId: lost.id },
    });
    expect(bodies().filter(({ path }) => path === '/colleague')).toEqual([]);
  });

  it('only up to the limit of a channel: further notifications wait, and no other channel is delayed', async () => {
    const owner = await server.owner();
    const colleague = await server.approverKey();
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    for (let count = 0; count < 260; count += 1) await server.pending(agent, `echo ${count}`);
    await arrived(20); // as many as a channel takes at once; after that it takes six a minute
    await addChannel(server, colleague.headers, toHook('/colleague'));
    await server.pending(agent, 'echo last');
    await until(bodies, (all) => all.some(({ path }) => path === '/colleague'));
    expect(bodies().filter(({ path }) => path === '/owner').length).toBeLessThan(40);
  });
});

describe('on-call weeks', () => {
  const ROTA = { from: '2026-06-08T09:00', timeZone: 'UTC', thenMinutes: 10 };
  const onCall = async (...persons: readonly string[]) => {
    const set = await setRota(server, { ...ROTA, persons });
    expect(set.ok).toBe(true);
  };
  const paths = () => bodies().map(({ path }) => path);

  it('notify the person on call at once, and other people later if the request still waits', async () => {
    nowMs = Date.parse('2026-06-16T12:00:00Z'); // the second week is Grace's
    const owner = await server.owner();
    const grace = await server.person('Grace');
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    await addChannel(server, grace.headers, toHook('/grace'));
    await prefer(server, grace.headers, { onlyWhenEscalated: true });
    await onCall(OWNER_ID, grace.id);
    const decided = await server.pending(agent, 'echo decided in time');
    const waiting = await server.pending(agent, 'echo waits longer');
    await arrived(2);
    await sleep(LOOKED_MS);
    expect(paths()).toEqual(['/grace', '/grace']);
    await server.decide(grace.headers, decided.id, 'deny', { version: 1 });
    nowMs += 10 * MINUTE_MS - 1;
    await sleep(LOOKED_MS);
    expect(paths()).toHaveLength(2);
    nowMs += 1;
    await arrived(3);
    await sleep(LOOKED_MS);
    expect(bodies().slice(2)).toMatchObject([{ path: '/owner', data: { grantId: waiting.id } }]);
  });

  it('notify every person at once if the person on call has no channel, may not decide this, or no longer decides at all', async () => {
    const owner = await server.owner();
    const grace = await server.person('Grace', 'approver', {
      requesters: null,
      hosts: ['elsewhere'],
      upTo: 'critical',
    });
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    await onCall(grace.id);
    await server.pending(agent, 'echo no channel');
    await arrived(1);
    await addChannel(server, grace.headers, toHook('/grace'));
    await server.pending(agent, 'echo not hers');
    await arrived(2);
    await server.call('POST', `/v1/people/${grace.id}/revoke`, owner, {});
    await server.pending(agent, 'echo revoked');
    await arrived(3);
    const lin = await server.person('Lin');
    await addChannel(server, lin.headers, toHook('/lin'));
    await onCall(lin.id);
    await server.call('POST', `/v1/people/${lin.id}/revoke`, owner, {});
    await server.pending(agent, 'echo revoked too');
    await arrived(4);
    await sleep(LOOKED_MS);
    expect(paths()).toEqual(['/owner', '/owner', '/owner', '/owner']);
  });

  it('are refused for a person who decides nothing or for an unknown time zone, and can be ended', async () => {
    const audrey = await server.person('Audrey', 'auditor');
    expect(await setRota(server, { ...ROTA, persons: [audrey.id] })).toMatchObject({ ok: false });
    expect(await setRota(server, { ...ROTA, timeZone: 'Mars/Olympus', persons: [OWNER_ID] })).toMatchObject({
      ok: false,
    });
    await onCall(OWNER_ID);
    expect(await writeRota(server.running.store, null, { nowMs })).toEqual({ ok: true, value: null });
  });
});

it('a person who may not decide a request gets no notification that it waits, but a notification that it was decided', async () => {
  const limits = { requesters: null, hosts: null, upTo: 'high' } as const;
  const grace = await server.person('Grace', 'approver', limits);
  const owner = await server.owner();
  const agent = await server.requester();
  await addChannel(server, owner, toHook('/owner'));
  await addChannel(server, grace.headers, toHook('/grace'));
  await prefer(server, grace.headers, { decided: true });
  const grant = await server.pending(agent, 'no-such-tool --all'); // unknown counts as critical
  await arrived(1);
  await sleep(LOOKED_MS);
  expect(bodies().map(({ path }) => path)).toEqual(['/owner']);
  await server.decide(owner, grant.id, 'deny', { version: 1 });
  await arrived(2);
  expect(bodies()[1]).toMatchObject({ path: '/grace', type: 'grant.decided' });
});

it('an auditor is notified of decisions and expired requests, is never asked to decide, and passes no request on to an approver', async () => {
  const owner = await server.owner();
  const agent = await server.requester();
  const colleague = await server.approverKey();
  const audrey = (await server.person('Audrey', 'auditor')).headers;
  const channel = await addChannel(server, audrey, toHook('/auditor'));
  await addChannel(server, colleague.headers, toHook('/colleague'));
  await prefer(server, audrey, { decided: true, expired: true, escalation: { to: colleague.id, afterMinutes: 1 } });
  await prefer(server, colleague.headers, { onlyWhenEscalated: true });
  await server.call('POST', `/v1/notifications/channels/${channel.id}/test`, audrey, {});
  const tested = await until(
    () => resultOf(server, audrey, channel.id),
    (found) => found?.last != null,
  );
  expect(tested?.last).toMatchObject({ isOk: true, text: 'sent (test)' });
  const decided = await server.pending(agent, 'echo decided');
  await server.decide(owner, decided.id, 'deny', { version: 1 });
  const lost = await server.pending(agent, 'echo not decided');
  const typeAndGrant = () => bodies().map(({ path, type, data }) => [path, type, data.grantId]);
  await until(typeAndGrant, (all) => all.some(([, type]) => type === 'grant.decided'));
  nowMs += 2 * MINUTE_MS;
  await sleep(LOOKED_MS);
  nowMs += 49 * 3_600_000;
  await until(typeAndGrant, (all) => all.some(([, type]) => type === 'grant.expired'));
  await sleep(LOOKED_MS);
  expect(typeAndGrant().filter(([path]) => path === '/auditor')).toEqual([
    ['/auditor', 'grant.test', null],
    ['/auditor', 'grant.decided', decided.id],
    ['/auditor', 'grant.expired', lost.id],
  ]);
  expect(typeAndGrant().filter(([path]) => path === '/colleague')).toEqual([]);
});

it('every approver is notified of a request while the rules for people cannot be read', async () => {
  const limits = { requesters: null, hosts: ['elsewhere'], upTo: 'low' } as const;
  const grace = await server.person('Grace', 'approver', limits);
  const owner = await server.owner();
  const agent = await server.requester();
  await addChannel(server, owner, toHook('/owner'));
  await addChannel(server, grace.headers, toHook('/grace'));
  await server.running.store.write(async (rows) => rows.passkeys.setOwnerSetting('people', '{'));
  await server.pending(agent, 'echo whose');
  await arrived(2);
  expect(
    bodies()
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['/grace', '/owner']);
});

describe('escalation', () => {
  it('notifies the next approver if the first did not decide in time, and only then', async () => {
    const owner = await server.owner();
    const colleague = await server.approverKey();
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    await addChannel(server, colleague.headers, toHook('/colleague'));
    await prefer(server, owner, { escalation: { to: colleague.id, afterMinutes: 10 } });
    await prefer(server, colleague.headers, { onlyWhenEscalated: true });
    const quick = await server.pending(agent, 'echo decided in time');
    const late = await server.pending(agent, 'echo not decided in time');
    await arrived(2);
    await server.decide(owner, quick.id, 'deny', { version: 1 });
    nowMs += 9 * MINUTE_MS;
    await sleep(LOOKED_MS);
    expect(bodies().map(({ path }) => path)).toEqual(['/owner', '/owner']);
    nowMs += MINUTE_MS;
    await arrived(3);
    await sleep(LOOKED_MS);
    expect(bodies().slice(2)).toEqual([
      expect.objectContaining({
        path: '/colleague',
        type: 'grant.escalated',
        data: expect.objectContaining({ grantId: late.id }),
      }),
    ]);
  });

  it('counts only the channels on which it notifies: an ended channel is none', async () => {
    const owner = await server.owner();
    const colleague = await server.approverKey();
    const agent = await server.requester();
    await addChannel(server, owner, toHook('/owner'));
    const ended = await addChannel(server, colleague.headers, toHook('/ended'));
    await server.running.store.write(async (rows) => rows.notifications.endChannel(ended.id, nowMs));
    await addChannel(server, colleague.headers, toHook('/colleague'));
    await prefer(server, owner, { escalation: { to: colleague.id, afterMinutes: 10 } });
    await prefer(server, colleague.headers, { onlyWhenEscalated: true });
    await server.pending(agent, 'echo not decided in time');
    await arrived(1);
    nowMs += 10 * MINUTE_MS;
    await arrived(2);
    const file = new Database(join(server.directory, 'grants.db'), { readonly: true });
    const results = file.prepare("select result from notification_jobs where event = 'escalate'").all();
    file.close();
    expect([bodies().map(({ path }) => path), results]).toEqual([
      ['/owner', '/colleague'],
      [{ result: 'passed on to 1 channels' }],
    ]);
  });

  it('does not ask a person who has approved already, but others whose approval is missing', async () => {
    const owner = await server.owner();
    const [grace, lin] = [await server.person('Grace'), await server.person('Lin')];
    const agent = await server.requester();
    for (const [headers, path] of [
      [owner, '/owner'],
      [grace.headers, '/grace'],
      [lin.headers, '/lin'],
    ] as const)
      await addChannel(server, headers, toHook(path));
    await setRota(server, { from: '2026-06-08T09:00', timeZone: 'UTC', thenMinutes: 10, persons: [OWNER_ID] });
    await setQuorum(server.running.store, { low: 2, medium: 2, high: 2, critical: 2 }, { nowMs });
    const { id } = await server.pending(agent, 'echo two of us');
    await arrived(1);
    await server.decide(grace.headers, id, 'approve', { version: 1, term: { kind: 'once' } });
    nowMs += 10 * MINUTE_MS;
    await arrived(2);
    await sleep(LOOKED_MS);
    expect(bodies().map(({ path }) => path)).toEqual(['/owner', '/lin']);
  });

  it('leads only to another approver of this server', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    for (const to of [OWNER_ID, agent.id, 's_nobody']) {
      const answer = await server.call('POST', '/v1/notifications/preferences', owner, {
        minimumRisk: 'low',
        shows: 'all',
        quiet: null,
        onlyWhenEscalated: false,
        escalation: { to, afterMinutes: 1 },
        decided: false,
        expired: false,
      });
      expect([to, answer.status]).toEqual([to, 400]);
    }
  });
});

describe('a channel of another approver', () => {
  it("cannot be seen, tested or removed by another approver, who cannot change its approver's preferences either; other callers are refused", async () => {
    const owner = await server.owner();
    const colleague = await server.approverKey();
    const agent = await server.requester();
    const { id } = await addChannel(server, owner, toHook());
    expect((await notificationsOf(server, colleague.headers)).channels).toEqual([]);
    const calls = [
      ['POST', `/v1/notifications/channels/${id}/test`],
      ['DELETE', `/v1/notifications/channels/${id}`],
    ] as const;
    for (const [method, path] of calls) {
      const answer = await server.call(method, path, colleague.headers);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'channel.not_found' } } });
    }
    await prefer(server, colleague.headers, { shows: 'nothing' });
    expect((await notificationsOf(server, owner)) as object).toMatchObject({ preferences: { shows: 'tool and host' } });
    const all = [...calls, ['GET', '/v1/notifications'], ['POST', '/v1/notifications/channels']] as const;
    for (const [method, path] of all) {
      expect((await server.call(method, path, agent.headers)).status).toBe(403);
      expect((await server.call(method, path)).status).toBe(401);
    }
    const { 'x-csrf-token': _, ...crossSite } = owner;
    expect((await server.call('DELETE', `/v1/notifications/channels/${id}`, crossSite)).status).toBe(403);
    expect(await resultOf(server, owner, id)).toMatchObject({ endedAtMs: null });
  });

  it('gets no more notifications once its approver is revoked', async () => {
    const colleague = await server.approverKey();
    const agent = await server.requester();
    await addChannel(server, colleague.headers, toHook());
    await server.running.store.write((rows) => rows.revokeSubject(colleague.id, nowMs));
    await server.pending(agent, 'echo one');
    await sleep(LOOKED_MS);
    expect(bodies()).toEqual([]);
  });
});

describe('while the disk of the database is full', () => {
  const failures: string[] = [];
  const log = {
    write: (line: string) => {
      if (line.includes('"the database failed"')) failures.push(line);
    },
  };
  const full = (table: string) =>
    `create trigger full before update on ${table} begin select raise(abort, 'database or disk is full'); end`;

  it.each([
    ['tries to reserve a notification', 'notification_jobs'],
    ['tries to plan the notifications of an event', 'notification_cursor'],
  ])('the server %s every 2 s, not more often, until that succeeds', async (_title, table) => {
    await server.stop();
    server = await TestServer.start({ clock: () => nowMs, notifications: settings(), log });
    failures.length = 0;
    const owner = await server.owner();
    const agent = await server.requester();
    await addChannel(server, owner, toHook());
    const file = new Database(join(server.directory, 'grants.db'));
    file.exec(full(table));
    const { id } = await server.pending(agent, 'echo waits for the disk');
    await until(
      () => failures.length,
      (count) => count >= 2,
    );
    await sleep(LOOKED_MS);
    expect(failures.length).toBeLessThan(8);
    expect(bodies()).toEqual([]);
    file.exec('drop trigger full');
    file.close();
    await arrived(1);
    expect(bodies().map(({ data }) => data.grantId)).toEqual([id]);
  });
});

describe('a notification is sent once', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('for each request, although two servers on one PostgreSQL both look', async () => {
    const database = await postgres.newDatabase();
    const first = await TestServer.start({ database, notifications: settings() });
    const second = await TestServer.start({ database, directory: first.directory, notifications: settings() });
    const owner = await first.owner();
    const agent = await first.requester();
    await addChannel(first, owner, toHook());
    const other = await second.signedIn(agent.id, agent.privateKey);
    const asked: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const both = await Promise.all([first.pending(agent, `echo a${round}`), second.pending(other, `echo b${round}`)]);
      asked.push(...both.map(({ id }) => id));
    }
    await arrived(10);
    await sleep(LOOKED_MS * 2);
    expect(
      bodies()
        .map(({ data }) => data.grantId)
        .toSorted(),
    ).toEqual(asked.toSorted());
    await second.stop();
    await first.stop();
  });

  it('even if the server is stopped in between: a failed attempt and a notification in quiet hours are sent afterwards', async () => {
    const { directory } = server;
    const owner = await server.owner();
    const agent = await server.requester();
    await addChannel(server, owner, toHook());
    receiver.replies.push(503);
    const tried = await server.pending(agent, 'echo tried');
    await arrived(1);
    await prefer(server, owner, { quiet: { from: 13 * 60, to: 15 * 60, timeZone: 'Europe/Berlin' } });
    const quiet = await server.pending(agent, 'echo in quiet hours');
    await server.running.stop();
    nowMs += 61 * MINUTE_MS;
    server = await TestServer.start({ clock: () => nowMs, directory, notifications: settings() });
    await arrived(3);
    await sleep(LOOKED_MS);
    expect(bodies().map(({ data }) => data.grantId)).toEqual(expect.arrayContaining([tried.id, tried.id, quiet.id]));
    expect(receiver.received.length).toBe(3);
  });

  it('a minute later, if a server reserved it and was then killed', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { id: channelId } = await addChannel(server, owner, toHook());
    await prefer(server, owner, { quiet: { from: 13 * 60, to: 15 * 60, timeZone: 'Europe/Berlin' } });
    const grant = await server.pending(agent, 'echo reserved by a dead server');
    await sleep(LOOKED_MS);
    const job = `waiting:${grant.id}:${channelId}`;
    nowMs += 61 * MINUTE_MS;
    await server.running.store.write((rows) => rows.notifications.holdJob(job, 0, nowMs + MINUTE_MS));
    await sleep(LOOKED_MS);
    expect(bodies()).toEqual([]);
    nowMs += MINUTE_MS;
    await arrived(1);
    expect(bodies()[0].data.grantId).toBe(grant.id);
  });
});
