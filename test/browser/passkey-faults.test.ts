/** Approvals with a passkey that must not count, and the sentence for each error of the browser. In each case the request stays pending. */
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Page, Request } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { setQuorum } from '../../src/server/identity/people-administration.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';
import { browserOfFile, card, INTERCEPTED } from './browser-fixture.ts';
import { approveHere, type Device, openDevice, passkeyAddress, registerOwner } from './passkey-device.ts';

const browser = browserOfFile();

let server: TestServer;
let agent: Person;
let devices: Device[];
let count = 0;
beforeEach(async () => {
  devices = [];
  server = await TestServer.start();
  agent = await server.requester();
});
afterEach(async () => {
  for (const { context } of devices) await context.close();
  await server.stop();
  expect(devices.flatMap(({ errors }) => errors)).toEqual([]);
});

async function registered(name = 'Ada’s phone'): Promise<Device> {
  const device = await openDevice(browser(), INTERCEPTED);
  devices.push(device);
  await registerOwner(device, server, name);
  return device;
}

/** Signs in with a link, so that the session does not belong to a passkey. */
async function signInByLink(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: /^(Sign in|Go on)$/ }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
}

async function asked(page: Page, address = passkeyAddress(server)): Promise<GrantView> {
  const grant = await server.pending(agent, `unknown-program ${count++}`);
  await page.goto(`${address}/grants/${grant.id}`);
  await card(page, grant.id).locator('.decide').waitFor();
  return grant;
}

const approve = (page: Page, grant: GrantView) => approveHere(page, server, grant);

async function saidAndWaits(page: Page, grant: GrantView, sentence: string): Promise<void> {
  await card(page, grant.id).locator('.message').getByText(sentence).waitFor();
  await waits(grant);
}

async function waits({ id }: GrantView): Promise<void> {
  const { body } = await server.call<GrantView>('GET', `/v1/grants/${id}`, agent.headers);
  expect(body.state).toBe('pending');
}

/** Whether the call is an approval that contains an assertion. */
const isAsserted = (request: Request): boolean =>
  request.url().endsWith('/approve') && request.postData()?.includes('"assertion"') === true;

describe('an approval that must not count', () => {
  it('is made at the IP address of the server, where the browser does not use the passkey', async () => {
    const { page } = await registered();
    await signInByLink(page, server.url);
    const grant = await asked(page, server.url);
    await approve(page, grant);
    await saidAndWaits(page, grant, 'This page is not at the address that your passkeys are for. Nothing was done');
  });

  it('is made at another port of the same name, where the browser signs and the server refuses', async () => {
    const { page } = await registered();
    const other = createServer((socket) => {
      const onward = connect(server.running.port, '127.0.0.1');
      for (const [from, to] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = `http://localhost:${(other.address() as AddressInfo).port}`;
    await signInByLink(page, address);
    const grant = await asked(page, address);
    const signed = page.waitForRequest(isAsserted);
    await approve(page, grant);
    await signed;
    await saidAndWaits(page, grant, 'Not done: the passkey was used on a page at another address');
    await page.goto('about:blank'); // ends the connections through the other port
    other.close();
  });

  it('is sent a second time, because an assertion counts once', async () => {
    await setQuorum(server.running.store, { medium: 2 }, { nowMs: Date.now() });
    const { page } = await registered();
    const grant = await asked(page);
    const sent = page.waitForRequest(isAsserted);
    await approve(page, grant);
    const first = await sent;
    const given = async () =>
      (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers)).body.approvals?.given.length;
    await expect.poll(given).toBe(1);
    const again = { method: 'POST', headers: await first.allHeaders(), body: first.postData() };
    const answer = await page.evaluate<{ status: number; told: object }>(
      `fetch(${JSON.stringify(first.url())}, ${JSON.stringify(again)})
        .then(async (answer) => ({ status: answer.status, told: await answer.json() }))`,
    );
    expect(answer).toMatchObject({ status: 403, told: { error: { code: 'passkey.over' } } });
    expect(await given()).toBe(1);
    await waits(grant);
  });

  it('has the assertion for another request', async () => {
    const { page } = await registered();
    const earlier = await asked(page);
    const sent = page.waitForRequest(isAsserted);
    await approve(page, earlier);
    const { assertion } = (await sent).postDataJSON();
    await card(page, earlier.id).getByText('Approved', { exact: true }).waitFor();
    const grant = await asked(page);
    await page.route('**/approve', async (route) => {
      if (!isAsserted(route.request())) return route.continue();
      return route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), assertion }) });
    });
    await approve(page, grant);
    await saidAndWaits(page, grant, 'Not done: this prompt has ended, or was for something else; try again.');
  });

  /** Approves. While the assertion is on its way, another device removes the passkey. */
  async function approveWhileRemoved({ page }: Device): Promise<GrantView> {
    const second = await registered('Ada’s tablet');
    const grant = await asked(page);
    await page.route('**/approve', async (route) => {
      if (isAsserted(route.request())) {
        const removal = second.page.locator('[data-device-id]', { hasText: 'Ada’s phone' });
        await removal.getByText('Remove …').click();
        await removal.getByRole('button', { name: 'Remove Ada’s phone' }).click();
        await removal.waitFor({ state: 'detached' });
      }
      return route.continue();
    });
    await approve(page, grant);
    return grant;
  }

  it('is by a passkey that was removed meanwhile, in a session that began with a link', async () => {
    const device = await registered();
    await device.page.getByText('More', { exact: true }).click();
    await device.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await device.page.getByText('Not signed in').waitFor();
    await signInByLink(device.page, passkeyAddress(server));
    const grant = await approveWhileRemoved(device);
    await saidAndWaits(device.page, grant, 'Not done: this passkey is not on record here, or it was removed');
  });

  it('is by a passkey that was removed meanwhile, with the session that began with it', async () => {
    const device = await registered();
    const grant = await approveWhileRemoved(device);
    await device.page.getByText('You are signed out here.').waitFor();
    await waits(grant);
  });
});

describe('an error of the browser', () => {
  /** Makes the browser refuse each use of a passkey with the error that `failWith` names. */
  const REFUSING = `for (const name of ['get', 'create'])
    CredentialsContainer.prototype[name] = () => Promise.reject(new DOMException('', globalThis.refusal))`;
  const failWith = (page: Page, name: string) => page.evaluate(`globalThis.refusal = '${name}'`);

  const CLOSED: readonly (readonly [string, string])[] = [
    ['NotAllowedError', 'You cancelled, or the prompt timed out. Nothing was done; try again when you are ready.'],
    ['AbortError', 'The prompt was closed. Nothing was done; try again when you are ready.'],
    [
      'SecurityError',
      'This page is not at the address that your passkeys are for. Nothing was done; open the page at that address.',
    ],
    [
      'ConstraintError',
      'This device cannot check who uses it. Nothing was done; set up a PIN, a finger or a face, or use another device.',
    ],
    ['UnknownError', 'The authenticator gave no answer. Nothing was done; try again, or use another device.'],
  ];

  it('while a person approves is one sentence about this signature', async () => {
    const { page } = await registered();
    await page.addInitScript(REFUSING);
    const grant = await asked(page);
    for (const [name, sentence] of [
      ...CLOSED,
      ['InvalidStateError', 'The authenticator gave no answer. Nothing was done; try again, or use another device.'],
      [
        'NotSupportedError',
        'This device cannot sign with a passkey. Nothing was done; set up a screen lock, or use another device.',
      ],
    ] as const) {
      await failWith(page, name);
      await approve(page, grant);
      await expect.poll(() => card(page, grant.id).locator('.message').textContent(), { message: name }).toBe(sentence);
      await waits(grant);
    }
  });

  it('while a person registers a device is one sentence about this device, and no device is added', async () => {
    const { page } = await registered();
    const adding = page.locator('.add-device');
    const message = () => adding.locator('.message').textContent();
    const excluded = 'This device is registered here already. Nothing was done.';
    await adding.getByRole('button').click();
    await expect.poll(message).toBe(excluded); // the browser's own error
    await page.addInitScript(REFUSING);
    await page.reload();
    for (const [name, sentence] of [
      ...CLOSED,
      ['InvalidStateError', excluded],
      [
        'NotSupportedError',
        'This device cannot make a passkey of a kind that the server takes. Nothing was done; use another device.',
      ],
    ] as const) {
      await failWith(page, name);
      await adding.getByRole('button').click();
      await expect.poll(message, { message: name }).toBe(sentence);
    }
    await page.reload();
    expect(await page.locator('[data-device-id]').count()).toBe(1);
  });
});
