/** The pages as an installed app: manifest, offline, badge, Trusted Types, a path behind a proxy, and the return after a sign-in. */

import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer as createLine, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { invitePerson } from '../../src/server/identity/people-administration.ts';
import { type Person, TestServer } from '../component/server-fixture.ts';
import { approveOn, card, openBrowser, openScene, type Scene } from './browser-fixture.ts';
import { type ProxyServer, startProxy } from './proxy.ts';

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

/** Waits until the service worker answers the requests of this page. */
async function underServiceWorker(page: Page): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready');
  await page.waitForFunction('navigator.serviceWorker.controller !== null');
}

/** Opens the page *Devices* and waits until the service worker keeps it. Returns a function that checks whether a page is kept. */
async function keepDevicesPage(): Promise<(path: string) => Promise<unknown>> {
  const { server, page } = scene;
  await underServiceWorker(page);
  await page.goto(`${server.url}/devices`);
  const isKept = (path: string) =>
    page.evaluate(`caches.match('${server.url}${path}').then((page) => page !== undefined)`);
  await expect.poll(() => isKept('/devices')).toBe(true);
  return isKept;
}

/** A proxy to a server that can cut the connection, or hold back everything that is sent. */
async function brittleLine() {
  let target = 0;
  let isHeld = false;
  const sockets = new Set<Socket>();
  const line = createLine((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (isHeld) return;
    const onward = connect(target, '127.0.0.1').on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const listen = (port: number) => new Promise<void>((resolve) => line.listen(port, '127.0.0.1', resolve));
  const cut = () => new Promise((resolve) => line.close(resolve));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const { port } = line.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    leadTo: (to: number) => {
      target = to;
    },
    async fail(how: 'is down' | 'does not answer') {
      isHeld = how === 'does not answer';
      drop();
      if (!isHeld) await cut();
    },
    async recover() {
      if (!isHeld) await listen(port);
      isHeld = false;
      drop();
    },
    async close() {
      drop();
      await cut();
    },
  };
}

const textOf = (page: Page) => page.locator('.connection').first();

/** Returns the bytes of a page as they are sent. */
const served = (url: URL, encodings: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(url, { headers: { 'accept-encoding': encodings } }, async (answer) =>
      resolve(Buffer.concat(await answer.toArray())),
    );
    asked.on('error', reject).end();
  });

/** Returns the state of the request that its agent sees. */
async function stateOf(server: TestServer, by: Person, id: string): Promise<string> {
  return (await server.call<GrantView>('GET', `/v1/grants/${id}`, by.headers)).body.state;
}

describe('what a browser needs to install the pages', () => {
  it('is a manifest with icons of the sizes that it names', async () => {
    const { server, page } = scene;
    const href = await page.locator('link[rel="manifest"]').getAttribute('href');
    const manifest = await server.call<{ icons: { src: string; sizes: string; type: string }[]; display: string }>(
      'GET',
      href ?? '',
    );
    expect(manifest.headers.get('content-type')).toMatch(/^application\/manifest\+json\b/);
    expect(manifest.body).toMatchObject({ start_url: '/', scope: '/', display: 'standalone' });
    for (const { src, sizes, type } of manifest.body.icons) {
      const answer = await fetch(server.url + src);
      expect(answer.headers.get('content-type')).toBe(type);
      const body = Buffer.from(await answer.arrayBuffer());
      if (type === 'image/png') expect(`${body.readUInt32BE(16)}x${body.readUInt32BE(20)}`).toBe(sizes);
    }
    expect(manifest.body.icons.map(({ sizes }) => sizes)).toEqual(['192x192', '512x512', '512x512', 'any']);
    const apple = await page.locator('link[rel="apple-touch-icon"]').getAttribute('href');
    expect((await fetch(server.url + apple)).status).toBe(200);
  });

  it('finds no fault of the manifest in a real browser', async () => {
    const devtools = await scene.context.newCDPSession(scene.page);
    const { errors, url } = await devtools.send('Page.getAppManifest');
    expect(url).toBe(`${scene.server.url}/manifest.webmanifest`);
    expect(errors).toEqual([]);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  });

  it('weighs less than 40 kB on the wire, all scripts together', async () => {
    const scripts = await scene.page.evaluate<string[]>(
      '[...document.querySelectorAll("script[src]")].map(({ src }) => src).concat(document.querySelector("meta[name=passkeys-script]").content, "/service-worker.js")',
    );
    let bytes = 0;
    for (const each of scripts) {
      const plain = await served(new URL(each, scene.server.url), 'identity');
      const packed = await served(new URL(each, scene.server.url), 'gzip, deflate, br');
      expect(gunzipSync(packed).equals(plain)).toBe(true);
      bytes += packed.length;
    }
    expect(scripts.length).toBe(3);
    expect(bytes).toBeLessThan(40_000);
  });
});

describe('without a connection', () => {
  it('shows what was known, says when that was, and decides nothing', async () => {
    const { server, page, agent, context } = scene;
    const grant = await server.pending(agent, 'uptime');
    await underServiceWorker(page);
    await page.goto(`${server.url}/`);
    await page.goto(grant.url);
    await card(page, grant.id).locator('.decide').waitFor();
    await context.setOffline(true);
    await page.goto(`${server.url}/`);
    await page.getByText('uptime').first().waitFor();
    expect(await textOf(page).textContent()).toMatch(/^No connection\. This is what was known on .+; nothing can be/);
    await page.goto(grant.url);
    await expect.poll(() => card(page, grant.id).locator('.decide button:not([disabled])').count()).toBe(0);
    expect(await stateOf(server, agent, grant.id)).toBe('pending');
    await context.setOffline(false); // the page loads itself again, and that can come between
    const isOpen = () =>
      page.goto(grant.url).then(
        () => true,
        () => false,
      );
    await expect.poll(isOpen).toBe(true);
    await approveOn(scene, grant.id);
    await page.getByText('approved').first().waitFor();
  });

  it.each(['is down', 'does not answer'] as const)(
    'finds the server again by itself when it %s for a while, and has a button to try at once',
    async (how) => {
      const line = await brittleLine();
      const server = await TestServer.start({ publicUrl: line.url });
      line.leadTo(server.running.port);
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${line.url}/sign-in/${await server.ownerLink()}`);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await underServiceWorker(page);
      const grant = await server.pending(await server.requester(), 'uptime');
      await page.goto(grant.url);
      const open = card(page, grant.id).locator('.decide button:not([disabled])').first();
      await open.waitFor();
      await line.fail(how);
      await page.goto(grant.url);
      await page.getByText('nothing can be decided now').waitFor();
      expect(await open.count()).toBe(0);
      const reloaded = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Try again' }).click();
      await reloaded;
      await page.getByText('nothing can be decided now').waitFor(); // it is still so
      await page.waitForTimeout(3_000); // it looks now and then
      await line.recover();
      await open.waitFor();
      await context.close();
      await server.stop();
      await line.close();
    },
  );

  it('says that it cannot show a page that was not kept', async () => {
    const { server, page, context } = scene;
    await underServiceWorker(page);
    await context.setOffline(true);
    await page.goto(`${server.url}/history`);
    await page.getByText('was not kept on this device').waitFor();
    await page.getByRole('link', { name: 'Try again' }).waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'History' }).waitFor(); // by itself
  });

  it('keeps nothing of a person who signed out', async () => {
    const { server, page, agent, context } = scene;
    await server.pending(agent, 'uptime');
    await underServiceWorker(page);
    await page.goto(`${server.url}/`);
    await expect.poll(() => page.evaluate('caches.has("ape-pages")')).toBe(true);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Not signed in').waitFor();
    await context.setOffline(true);
    await page.goto(`${server.url}/`);
    await page.getByText('was not kept on this device').waitFor();
  });

  it('keeps nothing of a person who signed out without a connection', async () => {
    const { page, context } = scene;
    const isKept = await keepDevicesPage();
    expect(await isKept('/devices')).toBe(true);
    await context.setOffline(true);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('was not kept on this device').waitFor();
    expect(await isKept('/devices')).toBe(false);
  });

  it('keeps nothing of a person who was signed out from elsewhere', async () => {
    const { server, page, context } = scene;
    await underServiceWorker(page);
    await page.goto(`${server.url}/`);
    await expect.poll(() => page.evaluate('caches.has("ape-pages")')).toBe(true);
    await context.clearCookies();
    await page.goto(`${server.url}/standing`);
    await page.getByText('Not signed in').waitFor();
    expect(await page.evaluate('caches.has("ape-pages")')).toBe(false);
  });

  it('keeps nothing of a person in whose place another one signed in, with a link', async () => {
    const { server, page, context } = scene;
    const isKept = await keepDevicesPage();
    const invited = await invitePerson(server.running.store, 'Grace', 'auditor', null, { nowMs: server.nowMs() });
    if (!invited.ok) throw new Error(invited.failure.message);
    await page.goto(`${server.url}/sign-in/${invited.value.token}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('You are an auditor').waitFor();
    await expect.poll(() => isKept('/')).toBe(true);
    await context.setOffline(true);
    await page.goto(`${server.url}/devices`);
    await page.getByText('was not kept on this device').waitFor();
  });

  it('keeps nothing of a person in whose place another one signed in in another tab', async () => {
    const { server, page, context } = scene;
    const isKept = await keepDevicesPage();
    // The cookie of another person, as after a sign-in that this worker has not seen.
    const { headers } = await server.person('Grace', 'auditor');
    const [name = '', value = ''] = (headers['cookie'] ?? '').split('=');
    await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto(`${server.url}/`);
    await page.getByText('You are an auditor').waitFor();
    await expect.poll(() => isKept('/devices')).toBe(false);
  });

  it('still opens a request by a link from another site', async () => {
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, 'uptime');
    await underServiceWorker(page);
    const other = await startProxy(() => ({ status: 200, body: `<a href="${grant.url}">a message</a>` }));
    await page.goto(`http://localhost:${other.port}/`);
    await page.getByRole('link').click();
    await card(page, grant.id).locator('.decide').waitFor();
    other.close();
  });
});

describe('Trusted Types', () => {
  it('let no text become markup except the answers of this server', async () => {
    const { page, server, agent, errors } = scene;
    const outcome = (script: string) =>
      page.evaluate(`(() => { try { ${script}; return 'done'; } catch (error) { return error.name; } })()`);
    expect(await outcome('document.body.insertAdjacentHTML("beforeend", "<p>x</p>")')).toBe('TypeError');
    expect(await outcome('trustedTypes.createPolicy("mine", { createHTML: (text) => text })')).toBe('TypeError');
    expect(await outcome('trustedTypes.createPolicy("ape-shell", { createHTML: (text) => text })')).toBe('TypeError');
    const refused = errors.length;
    const grant = await server.pending(agent, 'uptime'); // comes by the event stream, as markup
    await card(page, grant.id).waitFor();
    expect(errors.length).toBe(refused);
  });
});

describe('the number on the icon', () => {
  it('is the number of waiting requests', async () => {
    const { server, page, agent } = scene;
    await page.addInitScript(
      'globalThis.badges = []; navigator.setAppBadge = async (n) => { badges.push(n); }; navigator.clearAppBadge = async () => { badges.push(0); };',
    );
    await page.reload();
    const grant = await server.pending(agent, 'uptime');
    await expect.poll(() => page.evaluate('badges.at(-1)')).toBe(1);
    await server.decide(await server.owner(), grant.id, 'deny', { version: grant.version });
    await expect.poll(() => page.evaluate('badges.at(-1)')).toBe(0);
  });
});

describe('a link without a session', () => {
  it('leads back to its request after the sign-in', async () => {
    const { server, agent } = scene;
    const grant = await server.pending(agent, 'uptime');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(grant.url);
    await page.getByText('Not signed in').waitFor();
    await page.goto(`${server.url}/sign-in/${await server.ownerLink()}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(grant.url);
    await card(page, grant.id).locator('.decide').waitFor();
    await page.goto(`${server.url}/`); // once, not for ever
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.waitForTimeout(300);
    expect(page.url()).toBe(`${server.url}/`);
    await context.close();
  });
});

describe('a path behind a proxy that shares its name', () => {
  let proxy: ProxyServer;
  afterEach(() => proxy.close());

  /** Passes on only requests below `/approvals`. @param isStripped whether it removes that path first, as many proxies do */
  async function behindProxy(isStripped: boolean): Promise<{ url: string; server: TestServer }> {
    let port = 0;
    proxy = await startProxy(({ url: asked = '' }) => {
      if (!asked.startsWith('/approvals')) return { status: 404, body: 'something else' };
      return { port, path: isStripped ? asked.slice('/approvals'.length) || '/' : asked };
    });
    const url = `http://localhost:${proxy.port}/approvals`;
    const server = await TestServer.start({ publicUrl: url });
    port = server.running.port;
    return { url, server };
  }

  it.each([
    ['that the proxy passes on', false],
    ['that the proxy removes', true],
  ])('%s is in every address', async (_name, isStripped) => {
    const { url, server } = await behindProxy(isStripped);
    const context = await browser.newContext();
    const page = await context.newPage();
    const lost: string[] = [];
    page.on('response', (answer) => {
      // After the last decision there is no next request; everything else is there.
      if (answer.status() === 404 && !answer.url().includes('/parts/next/')) lost.push(answer.url());
    });
    await page.goto(`${url}/sign-in/${await server.ownerLink()}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${url}/`);
    const agent = await server.requester();
    const grant = await server.pending(agent, 'uptime');
    expect(grant.url).toBe(`${url}/grants/${grant.id}`);
    await card(page, grant.id).waitFor(); // by the event stream
    await page.goto(grant.url);
    await approveOn({ ...scene, page, server }, grant.id);
    await expect.poll(() => stateOf(server, agent, grant.id)).toBe('approved');
    for (const name of ['History', 'Standing', 'Inbox'])
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).click();
    await page.waitForURL(`${url}/`);
    await underServiceWorker(page);
    expect(await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')).toBe(`${url}/`);
    expect(lost).toEqual([]);
    await context.close();
    await server.stop();
  });
});
