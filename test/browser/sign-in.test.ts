/** Signing in by a link, and signing out, in Chromium. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { card, openBrowser, openScene, type Scene } from './browser-fixture.ts';
import { startProxy } from './proxy.ts';

let browser: Browser;
let scene: Scene;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  scene = await openScene(browser);
});
afterEach(() => scene.close());

/** A site that is not the server. */
async function otherSite(body: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // localhost and 127.0.0.1 are different sites to a browser
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, server };
}

/** A proxy that removes the Sec-Fetch headers, because browsers do not send them to http addresses on a network. */
async function withoutFetchMetadata(target: string): Promise<{ url: string; close: () => void }> {
  const port = Number(new URL(target).port);
  const proxy = await startProxy((call) => ({
    port,
    headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => !name.startsWith('sec-fetch-'))),
  }));
  return { url: `http://127.0.0.1:${proxy.port}`, close: proxy.close };
}

describe('signing in', () => {
  it('works once per link; opening the link does not use it up', async () => {
    const link = `${scene.server.url}/sign-in/${await scene.server.ownerLink()}`;
    const preview = await fetch(link);
    expect(preview.status).toBe(200);
    const [first, second] = [await browser.newContext(), await browser.newContext()];
    const [here, there] = [await first.newPage(), await second.newPage()];
    await here.goto(link);
    await there.goto(link);
    await here.getByRole('button', { name: 'Sign in' }).click();
    await here.getByText('Nothing waits for you.').waitFor();
    await there.getByRole('button', { name: 'Sign in' }).click();
    await there.getByText('A sign-in link works once').waitFor();
    await there.goto(`${scene.server.url}/`);
    await there.getByText('apes owner link').waitFor();
    await first.close();
    await second.close();
  });

  it('ends with a sign-out: the old cookie is not accepted any more', async () => {
    const cookies = await scene.context.cookies();
    await scene.page.getByText('More', { exact: true }).click();
    await scene.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await scene.page.getByText('Not signed in').waitFor();
    await scene.context.addCookies(cookies);
    await scene.page.goto(`${scene.server.url}/`);
    await scene.page.getByText('Not signed in').waitFor();
  });

  it('gives a cookie that scripts cannot read', async () => {
    const [cookie] = await scene.context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await scene.page.evaluate('document.cookie')).toBe('');
  });

  it('also counts when a link on another site leads to our pages', async () => {
    const grant = await scene.server.pending(scene.agent, 'uptime');
    const { url, server } = await otherSite(`<a href="${grant.url}">a message with the link</a>`);
    await scene.page.goto(url);
    await scene.page.getByRole('link').click();
    await card(scene.page, grant.id).locator('.decide').waitFor();
    server.close();
  });
});

describe('an address without a page', () => {
  it('shows a page, with a way back', async () => {
    await scene.page.goto(`${scene.server.url}/no/such/place`);
    await scene.page.getByRole('link', { name: 'To the inbox' }).click();
    await scene.page.getByText('Nothing waits for you.').waitFor();
  });
});

describe('another site', () => {
  it('cannot decide with the owner’s browser', async () => {
    const grant = await scene.server.pending(scene.agent, 'halt');
    const target = `${scene.server.url}/v1/grants/${grant.id}/approve`;
    const { url, server } = await otherSite(`<form method="post" action="${target}" enctype="text/plain">
      <input name='{"version":1,"term":{"kind":"once"},"x":"' value='"}'></form>
      <form id="logout" method="post" action="${scene.server.url}/v1/session"></form>`);
    await scene.page.goto(url);
    const tried = await scene.page.evaluate(async (address) => {
      const body = JSON.stringify({ version: 1, term: { kind: 'once' } });
      const send = (init: RequestInit) => fetch(address, { method: 'POST', credentials: 'include', body, ...init });
      const outcome = (attempt: Promise<Response>) =>
        attempt.then(
          (answer) => answer.type,
          () => 'blocked',
        );
      return [
        await outcome(send({ mode: 'no-cors' })),
        await outcome(send({ headers: { 'content-type': 'application/json', 'x-csrf-token': 'guess' } })),
      ];
    }, target);
    expect(tried).toEqual([expect.stringMatching(/opaque|blocked/), 'blocked']);
    await Promise.all([
      scene.page.waitForResponse((answer) => answer.url() === target),
      scene.page.evaluate('document.forms[0].submit()'),
    ]);
    const now = await scene.server.call<GrantView>('GET', `/v1/grants/${grant.id}`, scene.agent.headers);
    expect(now.body.state).toBe('pending');
    server.close();
  });

  it('cannot sign in a browser that does not name the site of a form; our own page can', async () => {
    const { url: address, close } = await withoutFetchMetadata(scene.server.url);
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const policy of ['origin', 'no-referrer']) {
      const path = `/sign-in/${await scene.server.ownerLink(scene.server.nowMs())}`;
      const { url, server } = await otherSite(
        `<meta name="referrer" content="${policy}"><form method="post" action="${address}${path}"><button>Go</button></form>`,
      );
      await page.goto(url);
      await page.getByRole('button').click();
      await page.waitForURL(`${address}${path}`);
      expect(await context.cookies()).toEqual([]);
      server.close();
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${address}/`);
    expect(await context.cookies()).toHaveLength(1);
    await context.close();
    close();
  });

  it('cannot put our pages into a frame', async () => {
    const { url, server } = await otherSite(`<iframe src="${scene.server.url}/"></iframe>`);
    await scene.page.goto(url);
    const framed = await scene.page.frames()[1]?.content();
    expect(framed).not.toContain('Inbox');
    server.close();
  });
});
