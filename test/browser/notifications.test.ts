/**
 * A push message in an approver's browser. A receiver of the test plays the push service: it decrypts as a browser does, and passes
 * the message to the service worker by Chromium's developer tools.
 */
import type { Browser, CDPSession } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newSubscription, type Receiver, startReceiver, until } from '../component/notification-sinks.ts';
import type { TestServer } from '../component/server-fixture.ts';
import { DESK, keepPicture, openBrowser, openScene, PHONE, type Scene } from './browser-fixture.ts';

let browser: Browser;
let receiver: Receiver;
let scene: Scene;
beforeAll(async () => {
  browser = await openBrowser();
  receiver = await startReceiver();
  scene = await openScene(browser, { notifications: { relay: null, allowedHosts: [receiver.host] } });
  await scene.context.grantPermissions(['notifications'], { origin: scene.server.url });
});
afterAll(async () => {
  await scene.close();
  await receiver.stop();
  await browser.close();
});

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

/** What the browser does when the person taps Deny. */
const CLICK_DENY = `registration.getNotifications().then(([notification]) =>
  { dispatchEvent(new NotificationEvent('notificationclick', { notification, action: 'deny' })); })`;

it('subscribes this device, shows what was pushed, and denies from the notification; there is no Approve', async () => {
  const { server, page, context, agent, errors } = scene;
  const { decrypt, ...keys } = newSubscription(`${receiver.url}/push/browser`);
  // Chromium's push service is Google's: only this call is in its place.
  const made = JSON.stringify({ endpoint: keys.endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } });
  await page.addInitScript(`PushManager.prototype.subscribe = async () => ({ toJSON: () => (${made}) })`);
  await page.goto(`${server.url}/notifications`);
  await page.getByRole('button', { name: 'Notify this device' }).click();
  await page.locator('[data-channel-id]').waitFor();
  expect(await page.locator('[data-channel-id]').textContent()).toContain(receiver.host);

  const grant = await server.pending(agent, 'rm -rf build');
  await until(
    () => receiver.received.length,
    (count) => count === 1,
  );
  const data = decrypt(receiver.received[0]?.body ?? Buffer.alloc(0));
  const cdp = await context.newCDPSession(page);
  const registrationId = await registrationOf(cdp);
  await cdp.send('ServiceWorker.deliverPushMessage', { origin: server.url, registrationId, data });
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
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(CLICK_DENY);
  await until(
    () => stateOf(server, agent, grant.id),
    (state) => state === 'denied',
  );
  expect(errors).toEqual([]);
});

async function registrationOf(cdp: CDPSession): Promise<string> {
  let id = '';
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    id = registrations[0]?.registrationId ?? id;
  });
  await cdp.send('ServiceWorker.enable');
  return until(
    () => id,
    (found) => found !== '',
  );
}

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
