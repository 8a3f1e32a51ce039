/** Notifications to approvers, from a real server to real receivers. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import webPush from 'web-push';
import {
  addChannel,
  checkVapid,
  newSubscription,
  notificationsOf,
  prefer,
  type Receiver,
  resultOf,
  startMailServer,
  startReceiver,
  until,
} from './notification-sinks.ts';
import { TestServer } from './server-fixture.ts';

let receiver: Receiver;
let server: TestServer;
let nowMs = Date.now();
beforeEach(async () => {
  nowMs = Date.now();
  receiver = await startReceiver();
  server = await TestServer.start({
    clock: () => nowMs,
    notifications: { relay: null, allowedHosts: [receiver.host] },
  });
});
afterEach(async () => {
  await server.stop();
  await receiver.stop();
});

const jsonOf = (index = 0) => JSON.parse(receiver.received[index]?.body.toString() ?? 'null');
const arrived = (count: number) =>
  until(
    () => receiver.received.length,
    (length) => length >= count,
  );
const HOSTILE =
  'echo "<b>*x*</b> [a](http://evil.example) <!channel> <@U1>"\r\nBcc: eve@evil.example\r\n\r\n\u202eevil';

describe('a push', () => {
  it('can be read only by the browser, and is signed for its push service, for both kinds of browsers', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const subscription = newSubscription(`${receiver.url}/push/abc`);
    const { decrypt, ...keys } = subscription;
    const { target } = await addChannel(server, owner, { kind: 'push', name: 'phone', ...keys });
    expect(target).toBe(receiver.host);
    await prefer(server, owner, { shows: 'all' });
    const grant = await server.pending(agent, 'git push');
    await arrived(1);
    const [first] = receiver.received;
    expect(first).toMatchObject({ method: 'POST', path: '/push/abc' });
    expect(first?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', topic: grant.id });
    expect(Number(first?.headers['ttl'])).toBeGreaterThan(60);
    const { pushKey } = await notificationsOf(server, owner);
    const contact = checkVapid(first?.headers.authorization, subscription.endpoint, pushKey, nowMs);
    expect(contact).toBe('mailto:owner@localhost');
    const payload = JSON.parse(decrypt(first?.body ?? Buffer.alloc(0)));
    expect(payload).toMatchObject({
      web_push: 8030,
      app_badge: 1,
      notification: {
        app_badge: 1,
        title: 'A request waits for you',
        navigate: `${server.url}/grants/${grant.id}`,
        tag: grant.id,
      },
    });
    expect(payload.notification.body).toContain('git push');
    expect(payload.notification.data).toEqual({ grantId: grant.id, version: 1, canDeny: true, waiting: 1 });
    expect(JSON.stringify(payload)).not.toMatch(/approve/i);
  });

  it('has the number of waiting requests for the icon of the app, counted when the push is sent', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    for (const text of ['ls', 'date']) await server.pending(agent, text);
    const { decrypt, ...keys } = newSubscription(`${receiver.url}/push/abc`);
    await addChannel(server, owner, { kind: 'push', name: 'phone', ...keys });
    await server.pending(agent, 'git push');
    await arrived(1);
    expect(JSON.parse(decrypt(receiver.received[0]?.body ?? Buffer.alloc(0)))).toMatchObject({ app_badge: 3 });
  });

  it('counts for an approver with limits only what they may decide', async () => {
    const { headers } = await server.person('Eve', 'approver', { requesters: null, hosts: ['box'], upTo: 'critical' });
    const [agent, other] = [await server.requester(), await server.requester('other', 'attic')];
    for (const text of ['ls', 'date']) await server.pending(other, text, { host: 'attic' });
    const { decrypt, ...keys } = newSubscription(`${receiver.url}/push/eve`);
    await addChannel(server, headers, { kind: 'push', name: 'phone', ...keys });
    await server.pending(agent, 'git push');
    await arrived(1);
    expect(JSON.parse(decrypt(receiver.received[0]?.body ?? Buffer.alloc(0)))).toMatchObject({ app_badge: 1 });
  });

  it('is read by the same receiver as a push of the library web-push', () => {
    const subscription = newSubscription('https://push.example/x');
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const { endpoint, p256dh, auth } = subscription;
    const made = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, 'hello', {
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: 'mailto:a@example.org', publicKey, privateKey },
    });
    expect(subscription.decrypt(made.body as Buffer)).toBe('hello');
    const authorization = (made.headers as Record<string, string>)['Authorization'];
    expect(checkVapid(authorization, endpoint, publicKey, Date.now())).toBe('mailto:a@example.org');
  });

  it.each([404, 410])(
    'to a subscription that is over (%i) ends the channel, and nothing more is sent there',
    async (status) => {
      const owner = await server.owner();
      const agent = await server.requester();
      const { decrypt: _, ...keys } = newSubscription(`${receiver.url}/push/gone`);
      const { id } = await addChannel(server, owner, { kind: 'push', name: 'phone', ...keys });
      receiver.replies.push(status);
      await server.pending(agent, 'echo one');
      const ended = await until(
        () => resultOf(server, owner, id),
        (channel) => channel?.endedAtMs != null,
      );
      expect(ended?.last).toMatchObject({ isOk: false, text: `the receiver is gone (HTTP ${status})` });
      await server.pending(agent, 'echo two');
      const other = await addChannel(server, owner, { kind: 'webhook', name: 'w', url: `${receiver.url}/hook` });
      await server.pending(agent, 'echo three');
      await until(
        () => resultOf(server, owner, other.id),
        (channel) => channel?.last?.isOk === true,
      );
      expect(receiver.received.map(({ path }) => path)).toEqual(['/push/gone', '/hook']);
    },
  );

  it('ends with the session of its browser', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { decrypt: _, ...keys } = newSubscription(`${receiver.url}/push/x`);
    const { id } = await addChannel(server, owner, { kind: 'push', name: 'phone', ...keys });
    expect((await server.call('DELETE', '/v1/session', owner)).status).toBe(204);
    await server.pending(agent, 'echo one');
    const again = await server.owner();
    const ended = await until(
      () => resultOf(server, again, id),
      (channel) => channel?.endedAtMs != null,
    );
    expect(ended?.last?.text).toBe('this browser is signed out');
    expect(receiver.received).toEqual([]);
  });

  it('passes to the person who signs in later, but only with the secret of the subscription and within the limit', async () => {
    const owner = await server.owner();
    const eve = await server.person('Eve');
    const ids = async (headers: Readonly<Record<string, string>>) =>
      (await notificationsOf(server, headers)).channels.map(({ id }) => id);
    const { decrypt: _, ...keys } = newSubscription(`${receiver.url}/push/x`);
    const phone = { kind: 'push', name: 'phone', ...keys };
    const { id } = await addChannel(server, owner, phone);

    const { decrypt: __, ...other } = newSubscription(keys.endpoint);
    const foreign = await addChannel(server, eve.headers, { kind: 'push', name: 'mine', ...other });
    expect(await ids(owner)).toEqual([id]);
    expect((await server.call('DELETE', `/v1/notifications/channels/${foreign.id}`, eve.headers)).status).toBe(204);

    for (let count = 0; count < 20; count += 1)
      await addChannel(server, eve.headers, { kind: 'webhook', name: 'w', url: `${receiver.url}/${count}` });
    const refused = await server.call('POST', '/v1/notifications/channels', eve.headers, phone);
    expect(refused).toMatchObject({ body: { error: { code: 'server.too_many' } } });
    expect(await ids(owner)).toEqual([id]);

    const [first = ''] = await ids(eve.headers);
    await server.call('DELETE', `/v1/notifications/channels/${first}`, eve.headers);
    await addChannel(server, eve.headers, phone);
    expect([await ids(owner), (await ids(eve.headers)).includes(id)]).toEqual([[], true]);
    const events = await server.running.store.read((rows) => rows.events(0, 1_000));
    const ended = (events.ok ? events.value : []).filter(({ kind }) => kind === 'notification.channel_removed').at(-1);
    expect(ended).toMatchObject({ actorId: eve.id, facts: { kind: 'push' } });
    await addChannel(server, eve.headers, phone); // the same channel again, at the limit
  });

  it('can be subscribed to only by a browser', async () => {
    const key = await server.approverKey();
    const { decrypt: _, ...keys } = newSubscription(`${receiver.url}/push/x`);
    const answer = await server.call('POST', '/v1/notifications/channels', key.headers, {
      kind: 'push',
      name: 'p',
      ...keys,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'request.malformed' } } });
  });
});

describe('a webhook', () => {
  it('has a signature that its receiver can check, is tried again, and has the same id in every attempt', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { id, secret } = await addChannel(server, owner, {
      kind: 'webhook',
      name: 'w',
      url: `${receiver.url}/hook?k=s3cret`,
    });
    await prefer(server, owner, { shows: 'all' });
    receiver.replies.push(503, { status: 429, headers: { 'retry-after': '40' } });
    const grant = await server.pending(agent, HOSTILE);
    const retried = await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last != null,
    );
    expect(retried?.last?.text).toBe('HTTP 503; another attempt follows');
    nowMs += 6_000;
    await arrived(2);
    await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last?.text.startsWith('HTTP 429') === true,
    );
    nowMs += 30_000; // it asked for 40 s
    await sleep(2_500);
    expect(receiver.received.length).toBe(2);
    nowMs += 11_000;
    await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last?.isOk === true,
    );
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { headers, body } of receiver.received) {
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`);
    }
    expect(jsonOf()).toMatchObject({
      type: 'grant.waiting',
      data: { grantId: grant.id, host: 'box', requester: 'agent' },
    });
    const shown = JSON.stringify(await notificationsOf(server, owner));
    expect([shown.includes(secret), shown.includes('s3cret')]).toEqual([false, false]);
  });

  it('that answers 410 ends its channel; one that refuses is not tried again', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { id } = await addChannel(server, owner, { kind: 'webhook', name: 'w', url: `${receiver.url}/hook` });
    receiver.replies.push(403);
    await server.pending(agent, 'echo one');
    const refused = await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last != null,
    );
    expect(refused).toMatchObject({ endedAtMs: null, last: { isOk: false, text: 'refused there (HTTP 403)' } });
    receiver.replies.push(410);
    await server.pending(agent, 'echo two');
    await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.endedAtMs != null,
    );
    expect(receiver.received.length).toBe(2);
  });

  it('is not sent on to the target of a redirect', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { id } = await addChannel(server, owner, { kind: 'webhook', name: 'w', url: `${receiver.url}/hook` });
    receiver.replies.push({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
    await server.pending(agent, 'echo one');
    const seen = await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last != null,
    );
    expect(seen?.last?.text).toBe('it redirects (HTTP 307), which is not followed');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('that does not answer delays no other channel, and is tried again', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const slow = await addChannel(server, owner, { kind: 'webhook', name: 'slow', url: `${receiver.url}/slow` });
    receiver.replies.push('silence', 'silence');
    await server.pending(agent, 'echo one');
    await arrived(1);
    const quick = await startReceiver();
    await quick.stop();
    await server.pending(agent, 'echo two');
    await arrived(2);
    const other = await addChannel(server, owner, { kind: 'webhook', name: 'quick', url: `${receiver.url}/quick` });
    await server.pending(agent, 'echo three');
    await until(
      () => resultOf(server, owner, other.id),
      (channel) => channel?.last?.isOk === true,
    );
    const late = await until(
      () => resultOf(server, owner, slow.id),
      (channel) => channel?.last?.isOk === false,
    );
    expect(late?.last?.text).toBe('no answer within 10 s; another attempt follows');
  });
});

describe('a hostile command', () => {
  it('is data to ntfy: no part of it is a header, and the only action opens the page', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    await addChannel(server, owner, {
      kind: 'ntfy',
      name: 'n',
      url: receiver.url,
      topic: 'my_topic',
      token: 'tk_secret',
    });
    await prefer(server, owner, { shows: 'all' });
    const grant = await server.pending(agent, HOSTILE);
    await arrived(1);
    const { path, headers } = receiver.received[0] ?? {};
    expect([path, headers?.authorization, headers?.['content-type']]).toEqual([
      '/',
      'Bearer tk_secret',
      'application/json',
    ]);
    const url = `${server.url}/grants/${grant.id}`;
    const { message, ...rest } = jsonOf();
    expect(rest).toEqual({
      topic: 'my_topic',
      title: 'A request waits for you',
      priority: 4,
      click: url,
      actions: [{ action: 'view', label: 'Review', url }],
    });
    expect(message).not.toMatch(/\r|\u202e/);
    expect(Object.keys(headers ?? {}).join()).not.toMatch(/bcc/i);
  });

  it('is plain text to Slack and Telegram: no mention, no link, no format', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    await prefer(server, owner, { shows: 'all' });
    await addChannel(server, owner, { kind: 'slack', name: 's', url: `${receiver.url}/services/T/B/x` });
    await addChannel(server, owner, {
      kind: 'telegram',
      name: 't',
      url: receiver.url,
      token: '12:abcdefghijkl',
      chat: '-100123',
    });
    await server.pending(agent, HOSTILE);
    await arrived(2);
    const bodies = new Map(receiver.received.map(({ path, body }) => [path, JSON.parse(body.toString())]));
    const slack = bodies.get('/services/T/B/x');
    expect(slack.blocks[0].text).toMatchObject({ type: 'plain_text', emoji: false });
    expect(slack.blocks[0].text.text).toContain('<!channel>');
    expect(JSON.stringify([slack.text, slack.blocks.slice(1)])).not.toContain('channel');
    const telegram = bodies.get('/bot12:abcdefghijkl/sendMessage');
    expect(telegram.parse_mode).toBeUndefined();
    expect(telegram.link_preview_options).toEqual({ is_disabled: true });
    const [{ type, offset, length }] = telegram.entities;
    expect([type, telegram.text.slice(offset, offset + length)]).toEqual([
      'pre',
      expect.stringContaining('evil.example'),
    ]);
    const outside = telegram.text.slice(0, offset) + telegram.text.slice(offset + length);
    expect(outside).not.toContain('evil');
  });

  it('adds no header and no receiver to a mail, and no message has the password of the relay', async () => {
    const mail = await startMailServer({ user: 'u', pass: 'relay-pass' });
    const withRelay = await TestServer.start({
      notifications: {
        relay: { url: `smtp://u:relay-pass@127.0.0.1:${mail.port}`, from: 'ape-shell <ape@example.org>' },
        allowedHosts: [],
      },
    });
    const owner = await withRelay.owner();
    const agent = await withRelay.requester('agent\r\nBcc: eve@evil.example');
    const { id } = await addChannel(withRelay, owner, { kind: 'mail', name: 'm', address: 'ada@example.org' });
    await prefer(withRelay, owner, { shows: 'all' });
    mail.refusals.push(451);
    await withRelay.pending(agent, HOSTILE);
    const failed = await until(
      () => resultOf(withRelay, owner, id),
      (channel) => channel?.last?.isOk === false,
    );
    expect(failed?.last?.text).toBe('the mail relay cannot be used now (451); another attempt follows');
    await until(
      () => mail.mails.length,
      (count) => count === 1,
    );
    const [{ to, text } = { to: [], text: '' }] = mail.mails;
    expect(to).toEqual(['ada@example.org']);
    const [head = '', ...rest] = text.split('\r\n\r\n');
    expect(head).toMatch(/^Subject: A request waits for you$/m);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(head).not.toMatch(/^(bcc|cc):/im);
    expect(rest.join('')).toContain(`${withRelay.url}/grants/`);
    for (const address of ['a@b, c@d', 'Ada <a@b.c>', 'a@b\r\nBcc: c@d', 'a b@c.d', 'nobody']) {
      const refused = await withRelay.call('POST', '/v1/notifications/channels', owner, {
        kind: 'mail',
        name: 'm',
        address,
      });
      expect(refused.status).toBe(400);
    }
    await withRelay.stop();
    await mail.stop();
  });
});

describe('the login at the mail relay', () => {
  it.each([
    [454, 'the mail relay cannot be used now (454); another attempt follows'],
    [535, 'the mail relay does not take the user and password of serve.smtp_url'],
  ])('with the answer %i is tried again only if the answer is temporary', async (code, text) => {
    const mail = await startMailServer({ user: 'u', pass: 'p' });
    const relay = { url: `smtp://u:p@127.0.0.1:${mail.port}`, from: 'ape@example.org' };
    const withRelay = await TestServer.start({ notifications: { relay, allowedHosts: [] } });
    const owner = await withRelay.owner();
    const agent = await withRelay.requester();
    const { id } = await addChannel(withRelay, owner, { kind: 'mail', name: 'm', address: 'ada@example.org' });
    mail.refusedLogins.push(code);
    await withRelay.pending(agent, 'git push');
    const failed = await until(
      () => resultOf(withRelay, owner, id),
      (channel) => channel?.last?.isOk === false,
    );
    expect(failed?.last?.text).toBe(text);
    await withRelay.stop();
    await mail.stop();
  });
});

describe('the target of a channel', () => {
  const tryUrl = async (url: string) => {
    const owner = await server.owner();
    const answer = await server.call<{ error?: { message: string } }>('POST', '/v1/notifications/channels', owner, {
      kind: 'webhook',
      name: 'w',
      url,
    });
    return [answer.status, answer.body.error?.message];
  };

  it.each([
    ['http://example.org/x', 'the address must begin with https://'],
    ['ftp://example.org/x', 'this is not a valid URL; write https://…'],
    ['https://user:pass@example.org/', 'the address must not contain a user or a password'],
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
      '[fe80::1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ].map((host) => [
      `https://${host}/x`,
      'the address is a private one; the owner of the server can allow it (serve.notification_hosts)',
    ]),
  ])('a channel cannot lead to %s', async (url, message) => {
    expect(await tryUrl(url ?? '')).toEqual([400, message]);
  });

  it('a channel cannot lead to a name that resolves to a private address', async () => {
    const owner = await server.owner();
    const agent = await server.requester();
    const { id } = await addChannel(server, owner, { kind: 'webhook', name: 'w', url: 'https://localhost:1/x' });
    await server.pending(agent, 'echo one');
    const seen = await until(
      () => resultOf(server, owner, id),
      (channel) => channel?.last != null,
    );
    expect(seen?.last).toMatchObject({ isOk: false, text: 'its name leads to a private address' });
  });

  it('a channel can lead to a port that the owner allows, and to no other port of that host', async () => {
    expect((await tryUrl(`${receiver.url}/x`))[0]).toBe(200);
    expect((await tryUrl('http://127.0.0.1:1/x'))[0]).toBe(400);
  });
});
