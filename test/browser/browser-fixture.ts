/** A real Chromium in front of a real server, with the owner signed in. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Person, TestServer } from '../component/server-fixture.ts';
import type { Desktop } from './desktop.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 900 };

/**
 * The lists below the address bar are pages of Chromium itself. It loads two of them for each new window, which takes more processor time
 * than most pages of the server. No test types into the address bar.
 */
const FEATURES_OFF = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/**
 * Returns the features that playwright switches off. Chromium obeys only its last `--disable-features`, so ours has to contain them.
 * Node refuses the arguments of a browser, and the message about a failed launch quotes them.
 */
async function featuresOffInPlaywright(): Promise<string> {
  const message = await chromium.launch({ executablePath: process.execPath }).then(() => '', String);
  const [, features] = /--disable-features=(\S+)/.exec(message) ?? [];
  if (features === undefined) throw new Error(`playwright does not say which features it switches off: ${message}`);
  return features;
}

/** What a browser is launched with. */
async function launchOptions() {
  const executablePath = process.env['APE_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error('Chromium is missing: apt-get install chromium');
  const features = [await featuresOffInPlaywright(), ...FEATURES_OFF].join();
  return { executablePath, args: [...FLAGS, `--disable-features=${features}`] };
}

export const openBrowser = async (): Promise<Browser> => chromium.launch(await launchOptions());

/** Opens contexts: a whole browser, or a browser with a profile on disk, which has only one context. */
type Opener = Pick<Browser, 'newContext'>;

/** A browser with a profile on disk. The desktop shows its notifications. Chromium passes taps on only to a context with a profile. */
export const browserOn = ({ address, profile }: Desktop): Opener => ({
  newContext: async (options) =>
    chromium.launchPersistentContext(profile, {
      ...options,
      ...(await launchOptions()),
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: address },
    }),
});

/** The owner's page and server, and an agent that files requests. */
export interface Scene {
  readonly server: TestServer;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly agent: Person;
  /** Exceptions and violations of the content security policy; expected to stay empty. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/**
 * For the contexts of tests that intercept requests (`page.route`). If a page has a service worker, an interception that starts
 * after the load of the page does not reach all its requests (seen in Chromium 156: about 1 of 20).
 */
export const INTERCEPTED = { serviceWorkers: 'block' } as const;

type SceneOptions = Parameters<typeof TestServer.start>[0] & {
  serviceWorkers?: 'block';
  viewport?: typeof PHONE;
  colorScheme?: 'light' | 'dark';
};

/** One browser for the tests of a file, open from the first to the last of them. */
export function browserOfFile(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  return () => browser;
}

/** Opens a new scene for each test of a file. Expects after the test that its page has reported no error. */
export function sceneOfTest(onOpen: (scene: Scene) => void, options: SceneOptions = {}): () => Browser {
  const browser = browserOfFile();
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(browser(), options);
    onOpen(scene);
  });
  afterEach(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });
  return browser;
}

export async function openScene(browser: Opener, options: SceneOptions = {}): Promise<Scene> {
  const { viewport = PHONE, colorScheme = 'light', serviceWorkers, ...settings } = options;
  const server = await TestServer.start(settings);
  const context = await browser.newContext({ viewport, colorScheme, ...(serviceWorkers && { serviceWorkers }) });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    // The browser also notes each refusal and each broken connection; tests look at those themselves.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  const agent = await server.requester();
  await signIn(server, page);
  return {
    server,
    context,
    page,
    agent,
    errors,
    async close() {
      await context.close();
      await server.stop();
    },
  };
}

async function signIn(server: TestServer, page: Page): Promise<void> {
  await page.goto(`${server.url}/sign-in/${await server.ownerLink(server.nowMs())}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${server.url}/`);
}

/** Keeps a picture of the page for a person to look at, if `APE_TEST_PICTURES` names a directory. */
export async function keepPicture(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  const directory = process.env['APE_TEST_PICTURES'];
  if (directory === undefined) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name.replace(/\W+/g, '-')}.png`), fullPage });
}

export const card = (page: Page, id: string) => page.locator(`[data-grant-id="${id}"]`);

/** Opens the page of a request, and all folded parts of its card. */
export async function openGrant(page: Page, { url }: { readonly url: string }): Promise<void> {
  await page.goto(url);
  await page.evaluate("for (const one of document.querySelectorAll('.longer')) one.open = true");
}

/** Approves for one of the terms that the card offers. If that takes a number, picks the number that the requester's side shows. */
export async function approveOn({ page, server }: Scene, id: string, term = 'Approve once'): Promise<void> {
  const shown = card(page, id);
  await shown.locator('.decide').waitFor();
  const number = await server.matchNumber(id);
  if (number === null) return shown.getByRole('button', { name: term, exact: true }).click();
  if (term !== 'Approve once')
    await shown
      .getByRole('radio', { name: term.replace('Approve until then', 'until').toLowerCase(), exact: true })
      .check();
  await shown.getByRole('button', { name: number, exact: true }).click();
}

/**
 * Approves once on the page of the request while others wait: when the decision is made, that page shows the next of them. In between
 * it shows the decided card, but only for a moment, for which no test may wait.
 */
export async function approveAndSeeNext(scene: Scene, id: string): Promise<void> {
  await approveOn(scene, id);
  await scene.page.locator('.decided').getByText('next:').waitFor();
}

/**
 * Holds back the next answer for the address, with the content that the server has sent.
 * @returns `asked`: resolves when the server has answered; `release`: lets the answer reach the page
 */
export function holdAnswer(page: Page, url: string): { readonly asked: Promise<void>; readonly release: () => void } {
  let release = (): void => undefined;
  const mayCome = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    const hold = async (route: Route) => {
      const response = await route.fetch();
      resolve();
      await mayCome;
      await route.fulfill({ response });
    };
    void page.route(url, hold, { times: 1 });
  });
  return { asked, release };
}

/**
 * Waits until the page takes taps: it ignores them for a moment after a card has changed, and a test is faster than a thumb. The wait
 * ends when nothing on the page has changed for that long by the page's own clock, because an event of the server may come late.
 */
export const settle = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    let timer;
    const observer = new MutationObserver(again);
    function again() {
      clearTimeout(timer);
      timer = setTimeout(() => { observer.disconnect(); resolve(null); }, 500);
    }
    observer.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    again();
  })`);
