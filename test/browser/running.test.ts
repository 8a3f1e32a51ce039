/** The page of the commands and sessions that run on the hosts, on a phone and on a desktop: hold, continue, kill, and a live screen. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventReader } from '../component/event-reader.ts';
import { acted, connectHost, listOf, SESSION, screenOf } from '../component/running-host.ts';
import {
  browserOfFile,
  DESK,
  holdAnswer,
  INTERCEPTED,
  keepPicture,
  openScene,
  PHONE,
  type Scene,
  settle,
} from './browser-fixture.ts';
import { startProxy } from './proxy.ts';

const browser = browserOfFile();
const STARTED_MS = Date.now() - 90_000;

describe.each([
  ['on a phone, dark', PHONE, 'dark'],
  ['on a desk, light', DESK, 'light'],
] as const)('what runs, in the pages %s', (name, viewport, colorScheme) => {
  let scene: Scene;
  let host: EventReader;
  let heldSinceMs: number | null = null;
  let line = 'make: *** waiting <b>';
  let isGone = false;
  let title = 'agent';
  const ordered: string[] = [];
  beforeAll(async () => {
    scene = await openScene(browser(), { ...INTERCEPTED, viewport, colorScheme });
    const grant = await scene.server.pending(scene.agent, 'make -C /srv/app all');
    const command = { grantId: grant.id, processes: 1, startedAtMs: Date.now() - 60_000, heldSinceMs: null };
    host = await connectHost(scene.server, scene.agent, ({ does }) => {
      if (does === 'list' && isGone) return { kind: 'list', sessions: [], commands: [] };
      if (does === 'list') return listOf([command], { heldSinceMs, title, startedAtMs: STARTED_MS });
      if (does === 'screen') return screenOf('$ make all', line);
      ordered.push(does);
      if (does === 'hold') heldSinceMs = Date.now();
      else heldSinceMs = null;
      return acted;
    });
  });
  afterAll(async () => {
    host.close();
    await scene.close();
  });
  beforeEach(() => {
    heldSinceMs = null;
    isGone = false;
  });

  const picture = (what: string) => keepPicture(scene.page, `${what}-${name}`);

  it('one tap holds a session, one lets it go on, and two kill it', async () => {
    const { page, server } = scene;
    await page.goto(`${server.url}/sessions`);
    await picture('sessions');
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.getByRole('button', { name: 'Hold' }).click();
    await card.getByText('Held: stopped 3 processes.').waitFor();
    await card.getByText('Held', { exact: true }).waitFor();
    await picture('sessions-held');
    title = 'agent at work'; // the page shows a new list
    await card.getByText(title).waitFor();
    expect(await card.getByText('Held: stopped 3 processes.').count()).toBe(1);
    await settle(page);
    await card.getByRole('button', { name: 'Let it go on' }).click();
    await card.getByText('Goes on: 3 processes.').waitFor();
    await settle(page);
    await card.getByText('Kill …').click();
    await card.getByRole('button', { name: 'Kill it' }).click();
    await card.getByText('Ended: 3 processes.').waitFor();
    expect(ordered).toEqual(['hold', 'continue', 'kill']);
  });

  it('the page leaves a list that has not changed as it is, so that no tap is lost', async () => {
    const { page, server } = scene;
    await page.goto(`${server.url}/sessions`);
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.evaluate((element) => element.setAttribute('title', 'as loaded'));
    await page.waitForResponse(`${server.url}/sessions`);
    await settle(page);
    expect(await card.getAttribute('title')).toBe('as loaded');
  });

  it('an older answer of the server does not undo the effect of a tap on the page', async () => {
    const { page, server } = scene;
    await page.goto(`${server.url}/sessions`);
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.getByRole('button', { name: 'Hold' }).waitFor();
    const answer = holdAnswer(page, `${server.url}/sessions`);
    title = 'agent before';
    await answer.asked;
    await card.getByRole('button', { name: 'Hold' }).click();
    await card.getByText('Held: stopped 3 processes.').waitFor();
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('[data-running="hold"]')?.closest('[data-running-id="${SESSION}"]')) window.wentBack = true;
    }).observe(document.body, { subtree: true, childList: true })`);
    title = 'agent after';
    answer.release();
    await card.getByText(title).waitFor();
    expect(await page.evaluate('window.wentBack')).toBeUndefined();
    await settle(page);
    await card.getByRole('button', { name: 'Let it go on' }).click();
    await card.getByText('Goes on: 3 processes.').waitFor();
  });

  it('the page of a session shows the screen as it changes, and asks the host for it only while the page is open', async () => {
    const { page, server } = scene;
    await page.goto(`${server.url}/sessions`);
    await page.getByRole('link', { name: 'Look at its screen' }).click();
    const screen = page.locator('pre.screen');
    await screen.getByText('waiting <b>').waitFor();
    await picture('session');
    line = 'done \u202E<i>';
    await screen.getByText('done').waitFor();
    expect(await screen.innerHTML()).not.toContain('<i>');
    await page.goto(`${server.url}/`);
    const looks = () => host.seen.filter(({ data }) => (data as unknown as { does: string }).does === 'screen').length;
    // A look that was on its way when the page was left may still arrive.
    await page.waitForTimeout(1_500);
    const before = looks();
    await page.waitForTimeout(2_500);
    expect(looks()).toBe(before);
    expect(scene.errors).toEqual([]);
  });

  it('the page of a session has a card above the screen, follows a hold from elsewhere, and says that the session has ended', async () => {
    const { page, server, agent } = scene;
    await page.goto(`${server.url}/sessions/${agent.id}/${SESSION}`);
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.getByRole('button', { name: 'Hold' }).waitFor();
    heldSinceMs = Date.now();
    await card.getByRole('button', { name: 'Let it go on' }).waitFor();
    expect(await card.getByRole('button', { name: 'Hold' }).count()).toBe(0);
    heldSinceMs = null;
    isGone = true;
    await page.getByText('It does not run any more.').waitFor();
    expect(await card.count()).toBe(0);
    await picture('session-ended');
    isGone = false;
    await card.waitFor();
  });

  it('a tap that a proxy answers with a page of its own says that nothing is known, and the buttons work again', async () => {
    const { page, server } = scene;
    const { port } = server.running;
    let isFailing = false;
    const proxy = await startProxy(({ url = '' }) => {
      if (!isFailing) return { port };
      if (url === '/sessions') return { status: 200, type: 'text/plain', body: 'Maintenance' };
      return url.startsWith('/v1/running/') ? { status: 502, body: '<h1>Bad Gateway</h1>' } : { port };
    });
    await page.goto(`http://127.0.0.1:${proxy.port}/sessions`);
    isFailing = true;
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.getByRole('button', { name: 'Hold' }).click();
    await card.getByText('No answer of the server came, so it is not known whether this was done.').waitFor();
    isFailing = false;
    await settle(page);
    await card.getByRole('button', { name: 'Hold' }).click();
    await card.getByText('Held: stopped 3 processes.').waitFor();
    await page.goto('about:blank');
    proxy.close();
  });

  it('a tap after the host has left does nothing, and the page says why', async () => {
    const { page, server } = scene;
    await page.goto(`${server.url}/sessions`);
    host.close();
    const card = page.locator(`[data-running-id="${SESSION}"]`);
    await card.getByRole('button', { name: 'Hold' }).click();
    await card.getByText('the host is not connected').waitFor();
    await page.getByText('This host is not connected. The list is from').waitFor();
    await picture('sessions-gone');
  });
});
