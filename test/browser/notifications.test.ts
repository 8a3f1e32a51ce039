/**
 * A push message in an approver's browser. A receiver of the test plays the push service: it decrypts as a browser does, and passes
 * the message to the service worker by Chromium's developer tools. The browser shows it on the desktop of the test, which taps it.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { newSubscription, type Receiver, startReceiver, until } from '../component/notification-sinks.ts';
import { TestServer } from '../component/server-fixture.ts';
import { browserOn, card, DESK, keepPicture, openScene, PHONE, type Scene } from './browser-fixture.ts';
import { type Desktop, startDesktop } from './desktop.ts';

let desktop: Desktop;
let receiver: Receiver;
let scene: Scene;
beforeAll(async () => {
  desktop = await startDesktop();
  receiver = await startReceiver();
  scene = await openScene(browserOn(desktop), { notifications: settings() });
  await scene.context.grantPermissions(['notifications'], { origin: scene.server.url });
});
afterAll(async () => {
  await scene.close();
  await receiver.stop();
  await desktop.stop();
});

const settings = () => ({ relay: null, allowedHosts: [receiver.host] });

const stateOf = async (server: TestServer, agent: Scene['agent'], id: string): Promise<string> =>
  (await server.call<{ state: string }>('GET', `/v1/grants/${id}`, agent.headers)).body.state;

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions: readonly string[];
}

const SHOWN = `navigator.serviceWorker.ready.then((registration) => registration.getNotifications()).then((all) =>
  all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.map((each) => each.title) })))`;

/** A script that replaces Chromium's call to subscribe, because Chromium would subscribe at Google's push service. */
function subscribing({ endpoint, p256dh, auth }: ReturnType<typeof newSubscription>): string {
  const made = JSON.stringify({ endpoint, keys: { p256dh, auth } });
  return `PushManager.prototype.subscribe = async () => ({ toJSON: () => (${made}) })`;
}

let subscription: ReturnType<typeof newSubscription>;

/** Files a request, waits until the server has pushed it, passes the message to the browser, and waits until the desktop shows it. */
async function pushed(line: string, origin = scene.server.url): Promise<GrantView> {
  const { server, page, context, agent } = scene;
  const path = new URL(subscription.endpoint).pathname;
  const sent = () => receiver.received.filter((one) => one.path === path);
  const before = sent().length;
  const grant = await server.pending(agent, line);
  const all = await until(sent, ({ length }) => length > before);
  const data = subscription.decrypt(all.at(-1)?.body ?? Buffer.alloc(0));
  expect(JSON.parse(data)).toMatchObject({ notification: { tag: grant.id } });
  const cdp = await context.newCDPSession(page);
  const registrationId = await registrationOf(cdp, origin);
  await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  await until(desktop.shown, ({ length }) => length > 0);
  await cdp.detach();
  return grant;
}

/** Taps the only notification. */
function tap(label?: string): void {
  const [notification, ...others] = desktop.shown();
  expect(others).toEqual([]);
  if (notification === undefined) throw new Error('nothing is shown');
  desktop.tap(notification, label);
}

/** Taps, and returns the page that the service worker opens. */
async function openedBy(label?: string): Promise<Page> {
  const opened = scene.context.waitForEvent('page', { timeout: 30_000 });
  tap(label);
  return opened;
}

it('subscribes this device, shows what was pushed, and denies from the notification; there is no Approve', async () => {
  const { server, page, agent, errors } = scene;
  subscription = newSubscription(`${receiver.url}/push/browser`);
  await page.addInitScript(subscribing(subscription));
  await page.goto(`${server.url}/notifications`);
  await page.getByRole('button', { name: 'Notify this device' }).click();
  await page.locator('[data-channel-id]').waitFor();
  expect(await page.locator('[data-channel-id]').textContent()).toContain(receiver.host);

  const grant = await pushed('rm -rf build');
  const shown = await until(
    () => page.evaluate<readonly Shown[]>(SHOWN),
    (found) => found.length > 0,
  );
  expect(shown).toEqual([
    {
      title: 'A request waits for you',
      body: expect.stringContaining('risk unknown'),
      tag: grant.id,
      actions: ['Deny', 'Review'],
    },
  ]);
  expect(shown[0]?.body).not.toContain('rm -rf'); // the lock screen shows it only to who chose so
  tap('Deny');
  await until(
    () => stateOf(server, agent, grant.id),
    (state) => state === 'denied',
  );
  expect(errors).toEqual([]);
});

async function registrationOf(cdp: CDPSession, origin: string): Promise<string> {
  let id = '';
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    id = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`)?.registrationId ?? id;
  });
  await cdp.send('ServiceWorker.enable');
  return until(
    () => id,
    (found) => found !== '',
  );
}

it('a tap on the notification or on Review opens the card of the request; an open card is not opened again', async () => {
  const { server, context, errors } = scene;
  for (const label of [undefined, 'Review']) {
    const grant = await pushed(`unknown-program ${label ?? 'itself'}`);
    const opened = await openedBy(label);
    await opened.waitForURL(`${server.url}/grants/${grant.id}`);
    await card(opened, grant.id).locator('.decide').waitFor();
    expect(await stateOf(server, scene.agent, grant.id)).toBe('pending');
    await opened.close();
  }
  const grant = await pushed('unknown-program again');
  const there = await context.newPage();
  await there.goto(`${server.url}/grants/${grant.id}`);
  await there.evaluate("document.body.dataset.mark = 'same'");
  const count = context.pages().length;
  tap();
  await until(desktop.shown, ({ length }) => length === 0);
  await there.waitForTimeout(1_000);
  expect(context.pages().length).toBe(count);
  expect(await there.evaluate('document.body.dataset.mark')).toBe('same');
  await there.close();
  expect(errors).toEqual([]);
});

it('a tap opens the card at the address at which the device subscribed, although the server names another of its addresses', async () => {
  const { server, context } = scene;
  const origin = `http://localhost:${server.running.port}`;
  await context.grantPermissions(['notifications'], { origin });
  const there = await context.newPage();
  await there.goto(`${origin}/sign-in/${await server.ownerLink()}`);
  await there.getByRole('button', { name: 'Sign in' }).click();
  await there.getByRole('heading', { name: 'Inbox' }).waitFor();
  await there.evaluate('navigator.serviceWorker.ready.then(() => null)');
  const grant = await pushed('unknown-program --localhost', origin);
  const opened = await openedBy();
  await opened.waitForURL(`${origin}/grants/${grant.id}`);
  await card(opened, grant.id).locator('.decide').waitFor();
  for (const page of [opened, there]) await page.close();
});

it('a Deny for a request that was withdrawn meanwhile opens its card', async () => {
  const { server, agent } = scene;
  const grant = await pushed('unknown-program --withdrawn');
  await server.call('POST', `/v1/grants/${grant.id}/withdraw`, agent.headers);
  const opened = await openedBy('Deny');
  await card(opened, grant.id).getByText('Withdrawn', { exact: true }).waitFor();
  await opened.close();
});

it('a Deny that a proxy answers with a page of its own opens the card', async () => {
  const { context, server, agent } = scene;
  const worker = context.serviceWorkers().find((one) => one.url().startsWith(server.url));
  const grant = await pushed('unknown-program --proxy');
  await worker?.evaluate(`globalThis.realFetch = fetch;
    globalThis.fetch = (to, how) => String(to).endsWith('/deny') ? Promise.resolve(new Response('<p>Accept our terms')) : realFetch(to, how)`);
  const opened = await openedBy('Deny');
  await card(opened, grant.id).locator('.decide').waitFor();
  expect(await stateOf(server, agent, grant.id)).toBe('pending');
  await worker?.evaluate('globalThis.fetch = realFetch');
  await opened.close();
});

it('when the browser ends the subscription, the service worker sends the new one to the server', async () => {
  const { context, server, agent } = scene;
  const worker = context.serviceWorkers().find((one) => one.url().startsWith(server.url));
  subscription = newSubscription(`${receiver.url}/push/renewed`);
  await worker?.evaluate(subscribing(subscription));
  await worker?.evaluate("dispatchEvent(new ExtendableEvent('pushsubscriptionchange'))");
  await until(
    () => server.running.store.read((rows) => rows.events(0, 1_000)),
    (events) => events.ok && events.value.filter(({ kind }) => kind === 'notification.channel_added').length === 2,
  );
  const grant = await pushed('unknown-program --renewed');
  tap('Deny');
  await until(
    () => stateOf(server, agent, grant.id),
    (state) => state === 'denied',
  );
});

it('the page keeps preferences, adds a webhook, shows its secret once, tests it and removes it', async () => {
  const { server, page, errors } = scene;
  await page.goto(`${server.url}/notifications`);
  await page.locator('input[value="all"]').check();
  await page.locator('.minimum-risk').selectOption('medium');
  await page.locator('.quiet').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByText('Add a channel').click();
  await page.locator('.channel-kind').selectOption('webhook');
  expect(await page.locator('[data-field="topic"]').isVisible()).toBe(false);
  await page.locator('[data-field="url"]').fill('https://10.0.0.1/x');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Not done: the address is a private one').waitFor();
  await page.locator('[data-field="url"]').fill(`${receiver.url}/hook`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  expect(await page.locator('.secret code').textContent({ timeout: 30_000 })).toBeDefined();
  await page.getByText('Copy the secret now').waitFor();
  expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/);
  await page.reload();
  expect(await page.locator('input[value="all"]').isChecked()).toBe(true);
  expect(await page.locator('.quiet').isChecked()).toBe(true);
  await page.locator('.quiet').uncheck(); // the test after this one waits for a push message, at whatever hour
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await page.content()).not.toContain('whsec_');
  const webhook = page.locator('[data-channel-id]', { hasText: 'webhook' });
  await webhook.getByRole('button', { name: 'Test' }).click();
  await webhook.getByText('Sent.').waitFor();
  for (const viewport of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    expect([viewport.width, isWider]).toEqual([viewport.width, false]);
    await keepPicture(page, `notifications-${viewport.width}`);
  }
  await webhook.getByRole('button', { name: 'Remove' }).click();
  await webhook.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

it('a Deny that reaches no server opens the card, which shows the request when the server is back', async () => {
  const { server, agent } = scene;
  const grant = await pushed('unknown-program --away');
  const { port } = server.running;
  await server.running.stop();
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  const opening = openedBy('Deny');
  await sleep(12_000); // longer than Chromium lets a tap open a window; a page that loads is announced to this test when it is there
  const closed = new Promise((resolve) => silent.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
  const opened = await opening;
  await opened.getByText('Nothing was decided.').waitFor();
  const back = await TestServer.start({ directory: server.directory, port, notifications: settings() });
  await card(opened, grant.id).locator('.decide').waitFor();
  expect(opened.url()).toBe(`${server.url}/grants/${grant.id}`);
  expect(await stateOf(back, agent, grant.id)).toBe('pending');
  await opened.close();
  await back.stop();
});
