/** Passkeys in a real browser with Chromium's virtual authenticator: register, sign in, approve; and each error. */
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';
import { plugInAuthenticator } from './authenticator.ts';
import { browserOfFile, card, INTERCEPTED } from './browser-fixture.ts';
import { approveHere, type Device, openDevice, passkeyAddress, registerOwner } from './passkey-device.ts';

const browser = browserOfFile();

let server: TestServer;
let agent: Person;
let devices: Device[];
beforeEach(async () => {
  devices = [];
  server = await TestServer.start();
  agent = await server.requester();
});
afterEach(async () => {
  for (const { context } of devices) await context.close();
  await server.stop();
});

const address = () => passkeyAddress(server);

async function newDevice(): Promise<Device> {
  const device = await openDevice(browser(), INTERCEPTED);
  devices.push(device);
  return device;
}

async function registered(): Promise<Device> {
  const device = await newDevice();
  await registerOwner(device, server, 'Ada’s phone');
  return device;
}

async function signOut({ page }: Device): Promise<void> {
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('Not signed in').waitFor();
}

async function signInByPasskey({ page }: Device): Promise<void> {
  await page.goto(address());
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('Nothing waits for you.').waitFor();
}

const stateOf = async (grant: GrantView) =>
  (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers)).body.state;

async function approve(page: Page, grant: GrantView): Promise<void> {
  if (!page.url().endsWith(grant.id)) await page.goto(`${address()}/grants/${grant.id}`);
  await approveHere(page, server, grant);
}

/** Makes the browser wait for the authenticator for a shorter time than for people. */
async function hurry(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const answer = await route.fetch();
    const text = (await answer.text()).replace(/"timeoutMs":\d+/, '"timeoutMs":2000');
    return route.fulfill({ response: answer, body: text });
  });
}

describe('signed in elsewhere', () => {
  it('is listed on the page Devices, and signed out from there at once', async () => {
    const [first, second] = [await newDevice(), await newDevice()];
    for (const { page } of [first, second]) {
      await page.goto(`${address()}/sign-in/${await server.ownerLink()}`);
      await page.getByRole('button', { name: /^(Sign in|Go on)$/ }).click();
      await page.getByText('Nothing waits for you.').waitFor();
    }
    const { page } = second;
    await page.goto(`${address()}/devices`);
    await page.getByRole('button', { name: 'Sign Chrome on Linux out' }).waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else (1)' }).click();
    await page.getByRole('button', { name: 'Sign Chrome on Linux out' }).waitFor({ state: 'detached' });
    await first.page.reload();
    await first.page.getByText('Not signed in').waitFor();
    expect([...first.errors, ...second.errors]).toEqual([]);
  });
});

describe('with a passkey', () => {
  it('the owner registers on the link, signs out, signs in without one, and approves', async () => {
    const device = await registered();
    const { page } = device;
    await page.getByText('This device is registered.').waitFor();
    await page.getByText('Ada’s phone').first().waitFor();
    await page.getByText('This device', { exact: true }).waitFor();
    await signOut(device);
    await signInByPasskey(device);
    const grant = await server.pending(agent, 'unknown-program --now');
    await card(page, grant.id).waitFor();
    await approve(page, grant);
    await card(page, grant.id).getByText('Approved', { exact: true }).waitFor();
    expect(await stateOf(grant)).toBe('approved');
    const events = await server.running.store.read((rows) => rows.events(0, 100));
    const told = events.ok ? events.value.filter(({ kind }) => /^passkey|approved$/.test(kind)) : [];
    expect(told.map(({ kind, facts }) => [kind, facts['name'] ?? facts['by']])).toEqual([
      ['passkey.registered', 'Ada’s phone'],
      ['passkey.confirmed', 'Ada’s phone'],
      ['grant.approved', 'owner'],
    ]);
    expect(device.errors).toEqual([]);
  });

  it('a second device is added; the first is removed there, and is signed out at once', async () => {
    const first = await registered();
    const second = await newDevice();
    await second.page.goto(`${address()}/sign-in/${await server.ownerLink()}?`);
    await second.page.getByRole('button', { name: 'register this device' }).click();
    await second.page.getByRole('button', { name: 'Register another device' }).click();
    await second.page.waitForURL('**/devices?after=registered');
    const listed = second.page.locator('[data-device-id]');
    expect(await listed.count()).toBe(2);
    await first.page.goto(address());
    await first.page.getByText('Nothing waits for you.').waitFor();
    await listed.filter({ hasText: 'Ada’s phone' }).getByText('Remove …').click();
    await second.page.getByRole('button', { name: 'Remove Ada’s phone' }).click();
    await expect.poll(() => listed.count()).toBe(1);
    await first.page.getByText('You are signed out here.').waitFor(); // by itself
    await first.page.getByRole('link', { name: 'Sign in again' }).click();
    await first.page.getByRole('button', { name: 'Use a passkey' }).click();
    await first.page.getByText('not on record here, or it was removed').waitFor();
    await signOut(second);
    await signInByPasskey(second);
    await second.page.goto(`${address()}/devices`);
    await second.page.getByText('Remove …').first().click();
    await second.page.getByRole('button', { name: /^Remove / }).click();
    await second.page.getByText('this is your last way to sign in').waitFor();
  });

  it('a person who has lost the passkey signs in once with a recovery code, and the page says to register a device', async () => {
    const device = await registered();
    const { page } = device;
    await page.getByText('Make ten codes …').click();
    await page.getByRole('button', { name: 'Show ten codes now' }).click();
    await page.locator('.codes li').nth(9).waitFor();
    const code = (await page.locator('.codes li').first().textContent()) ?? '';
    expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const other = await newDevice();
    const enter = async (text: string) => {
      await other.page.goto(address());
      await other.page.getByText('Use a recovery code').click();
      await other.page.getByLabel('Code', { exact: true }).fill(text);
      await other.page.getByRole('button', { name: 'Sign in with this code' }).click();
    };
    await enter(code.toUpperCase());
    await other.page.getByText('Register this device, so that you need no code the next time').waitFor();
    await other.page.getByText('9 codes are unused.').waitFor();
    await signOut(other);
    await enter(code);
    await other.page.getByText('this code is not known here, or was used already').waitFor();
    expect(other.errors).toEqual([]);
  });
});

it('a person who opened a request without a sign-in comes back to it, from the page Devices too', async () => {
  const grant = await server.pending(agent, 'unknown-program');
  const device = await newDevice();
  const { page } = device;
  const openSignedOut = async (on: Page) => {
    await on.goto(`${address()}/grants/${grant.id}`);
    await on.getByText('Not signed in').waitFor();
  };
  await openSignedOut(page);
  await page.goto(`${address()}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.waitForURL('**/devices');
  await page.getByRole('link', { name: 'Not now: go on to the request' }).waitFor();
  await page.getByRole('button', { name: 'Register this device' }).click();
  await page.waitForURL(`**/grants/${grant.id}`);
  await card(page, grant.id).locator('.decide').waitFor();

  await page.goto(`${address()}/devices`);
  expect(await page.getByRole('link', { name: 'Not now' }).count()).toBe(0); // once, not for ever
  await page.getByText('Make ten codes …').click();
  await page.getByRole('button', { name: 'Show ten codes now' }).click();
  const code = (await page.locator('.codes li').first().textContent()) ?? '';
  const other = await newDevice();
  await openSignedOut(other.page);
  await other.page.getByText('Use a recovery code').click();
  await other.page.getByLabel('Code', { exact: true }).fill(code);
  await other.page.getByRole('button', { name: 'Sign in with this code' }).click();
  await other.page.waitForURL('**/devices?after=recovery');
  await other.page.getByRole('link', { name: 'Not now: go on to the request' }).click();
  await card(other.page, grant.id).locator('.decide').waitFor();
  await other.page.goto(address());
  await other.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  expect([...device.errors, ...other.errors]).toEqual([]);
});

describe('one calm sentence is shown, and nothing is decided, if', () => {
  async function asked(device: Device): Promise<GrantView> {
    const grant = await server.pending(agent, 'unknown-program');
    await device.page.goto(`${address()}/grants/${grant.id}`);
    await card(device.page, grant.id).waitFor();
    return grant;
  }
  const said = (page: Page, grant: GrantView, text: string) => card(page, grant.id).getByText(text).waitFor();

  it('the person cancels or does not answer; meanwhile nothing on the page moves, and afterwards it catches up', async () => {
    const device = await registered();
    const { page, cdp, authenticatorId } = device;
    const grant = await asked(device);
    await hurry(page);
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    await page.evaluate(`document.querySelector('[data-grant-id="${grant.id}"]').dataset.mark = 'same'`);
    await approve(page, grant);
    await said(page, grant, 'Confirm with your passkey');
    const second = await server.pending(agent, 'another-program');
    await server.call('POST', `/v1/grants/${grant.id}/withdraw`, agent.headers);
    await page.waitForTimeout(700);
    expect(await card(page, grant.id).getAttribute('data-mark')).toBe('same');
    await card(page, grant.id).getByText('Withdrawn').waitFor();
    await approve(page, second);
    await said(page, second, 'You cancelled, or the prompt timed out. Nothing was done');
    expect(await stateOf(second)).toBe('pending');
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    await approve(page, second);
    await card(page, second.id).getByText('Approved', { exact: true }).waitFor();
  });

  it('the device cannot check who uses it', async () => {
    const device = await registered();
    const { page, cdp, authenticatorId } = device;
    const grant = await asked(device);
    await hurry(page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await approve(page, grant);
    await said(page, grant, 'Nothing was done');
    expect(await stateOf(grant)).toBe('pending');
  });

  it('there is no authenticator, or another one', async () => {
    const device = await registered();
    const { page, cdp, authenticatorId } = device;
    const grant = await asked(device);
    await hurry(page);
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    await approve(page, grant);
    await said(page, grant, 'Nothing was done');
    await plugInAuthenticator(cdp);
    await approve(page, grant);
    await said(page, grant, 'Nothing was done');
    expect(await stateOf(grant)).toBe('pending');
  });

  it('the counter of a copied passkey went back', async () => {
    const device = await registered();
    const { page, cdp, authenticatorId } = device;
    await signOut(device);
    await signInByPasskey(device);
    const grant = await asked(device);
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const [credential] = credentials;
    if (credential === undefined) throw new Error('no credential');
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } });
    await approve(page, grant);
    await said(page, grant, 'the passkey may be a copy');
    expect(await stateOf(grant)).toBe('pending');
    await page.goto(`${address()}/devices`);
    await page.getByText('Not signed in').waitFor();
  });

  it('the address is a number: the page says so, and leads to the name, where the link works as well', async () => {
    const device = await newDevice();
    const { page } = device;
    const link = await server.ownerLink();
    await page.goto(`${server.url}/sign-in/${link}`);
    await page.getByText('Passkeys do not work at this address').waitFor();
    await page.getByRole('link', { name: `Open ${address()}` }).click();
    await page.waitForURL(`${address()}/sign-in/${link}`);
    await page.getByRole('button', { name: 'register this device' }).click();
    await page.getByRole('button', { name: 'Register this device' }).click();
    await page.waitForURL('**/devices?after=registered');
    await page.goto(server.url);
    await page.getByText('Passkeys do not work at this address').waitFor();
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
  });
});

it('another person is invited, registers on the link, decides by name, and is revoked at once', async () => {
  const owner = await registered();
  await owner.page.goto(`${address()}/people`);
  await owner.page.getByLabel('Name of another person').fill('Grace');
  await owner.page.getByRole('button', { name: 'Make an invitation' }).click();
  const link = await owner.page.locator('.invitation', { hasText: 'http' }).textContent();
  const grace = await newDevice();
  await grace.page.goto(String(link).replace('127.0.0.1', 'localhost'));
  await grace.page.getByRole('button', { name: 'register this device' }).click();
  await grace.page.getByRole('button', { name: 'Register this device' }).click();
  await grace.page.waitForURL('**/devices?after=registered');
  expect(await grace.page.getByText('Make an invitation').count()).toBe(0);
  const grant = await server.pending(agent, 'unknown-program');
  await grace.page.goto(address());
  await approve(grace.page, grant);
  await card(grace.page, grant.id).getByText('Approved', { exact: true }).waitFor();
  const events = await server.running.store.read((rows) => rows.events(0, 100));
  const approved = events.ok ? events.value.find(({ kind }) => kind === 'grant.approved') : undefined;
  expect(approved?.facts['by']).toBe('Grace');
  await owner.page.goto(`${address()}/people`);
  await owner.page.getByText('Revoke …').click();
  await owner.page.getByRole('button', { name: 'Revoke Grace' }).click();
  await owner.page.getByText('Revoked', { exact: true }).waitFor();
  await grace.page.goto(address());
  await grace.page.getByRole('button', { name: 'Use a passkey' }).click();
  await grace.page.getByText('not on record here, or it was removed').waitFor();
});
