/** The browser of one person, with an authenticator of its own, and what a person does with it. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { TestServer } from '../component/server-fixture.ts';
import { newAuthenticator } from './authenticator.ts';
import { card, PHONE, settle } from './browser-fixture.ts';

export interface Device {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
  readonly errors: readonly string[];
}

/** The address at which passkeys of this server work. */
export const passkeyAddress = ({ running }: TestServer) => `http://localhost:${running.port}`;

export async function openDevice(browser: Browser, options: { serviceWorkers?: 'block' } = {}): Promise<Device> {
  const context = await browser.newContext({ viewport: PHONE, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  const { cdp, authenticatorId } = await newAuthenticator(page);
  return { context, page, cdp, authenticatorId, errors };
}

/** The owner opens the link, and registers on it. */
export async function registerOwner({ page }: Device, server: TestServer, name: string): Promise<void> {
  await page.goto(`${passkeyAddress(server)}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.waitForURL('**/devices');
  await page.getByLabel('Name of this device').fill(name);
  await page.getByRole('button', { name: /^Register (this|another) device$/ }).click();
  await page.waitForURL('**/devices?after=registered');
}

/** Approves on the page of the request that is open; at unknown risk with the number that the requester's side shows. */
export async function approveHere(page: Page, server: TestServer, grant: GrantView): Promise<void> {
  const number = (await server.matchNumber(grant.id)) ?? 'Approve once';
  await settle(page);
  await card(page, grant.id).getByRole('button', { name: number, exact: true }).click();
}
