/** An open page shows what happens elsewhere without a reload. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { PENDING_LIFETIME_MS } from '../../src/core/grant/grant.ts';
import { MAX_DENIALS } from '../../src/server/limits.ts';
import { TestServer } from '../component/server-fixture.ts';
import { browserOfFile, card, holdAnswer, INTERCEPTED, openScene, settle } from './browser-fixture.ts';

const browser = browserOfFile();

describe('an open page', () => {
  it('shows a new request, its decision elsewhere and the count in the title, without a reload', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    await page.getByText('Nothing waits for you.').waitFor();
    expect(await page.title()).toBe('Inbox · ape-shell');
    const first = await server.pending(agent, 'echo one');
    await card(page, first.id).waitFor();
    await expect.poll(() => page.title()).toBe('(1) Inbox · ape-shell');
    const second = await server.pending(agent, 'echo two');
    await card(page, second.id).waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(2\)/);
    const owner = await server.owner();
    await server.decide(owner, first.id, 'deny', { version: 1, reason: 'from the phone' });
    await card(page, first.id).getByText('“from the phone”').waitFor();
    expect(await card(page, first.id).getAttribute('data-state')).toBe('denied');
    await expect.poll(() => page.title()).toMatch(/^\(1\)/);
    await server.call('POST', `/v1/grants/${second.id}/withdraw`, agent.headers);
    await card(page, second.id).locator('.badge').getByText('Withdrawn').waitFor();
    await expect.poll(() => page.title()).toBe('Inbox · ape-shell');
    expect(scene.errors).toEqual([]);
    await scene.close();
  });

  it('shows a requester that is paused or resumed elsewhere, and one that the server pauses by itself', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    const owner = await server.owner();
    const paused = page.locator(`[data-requester-id="${agent.id}"]`).getByText('None of its lines and calls runs');
    const change = (verb: string, body?: object) =>
      server.call('POST', `/v1/requesters/${agent.id}/${verb}`, owner, body);
    await page.getByText('Nothing waits for you.').waitFor();
    await page.evaluate('window.notReloaded = true');
    await change('pause', { reason: 'from the desk' });
    await paused.getByText('Why: from the desk.').waitFor();
    await change('resume');
    await paused.waitFor({ state: 'detached' });
    for (let denials = 0; denials <= MAX_DENIALS.atOnce; denials += 1) {
      const grant = await server.pending(agent, `echo ${denials}`);
      await server.decide(owner, grant.id, 'deny', { version: 1 });
    }
    await paused.getByText(`more than ${MAX_DENIALS.atOnce} denials in a short time`).waitFor();
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    await page.goto(`${server.url}/requesters`);
    await paused.waitFor();
    await change('resume');
    await paused.waitFor({ state: 'detached' });
    expect(scene.errors).toEqual([]);
    await scene.close();
  });

  it('misses no event between the load of the page and the start of its event stream', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    let open = (): void => undefined;
    const mayOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route('**/v1/events*', async (route) => {
      await mayOpen;
      await route.continue();
    });
    const known = await server.pending(agent, 'echo known');
    await page.goto(`${server.url}/`);
    await server.decide(await server.owner(), known.id, 'deny', { version: 1 });
    const missed = await server.pending(agent, 'echo missed');
    open();
    await card(page, missed.id).waitFor();
    await card(page, known.id).locator('.badge').getByText('Denied').waitFor();
    await scene.close();
  });

  it('shows a decision later, although neither the card nor the page could be loaded when it was made', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, 'echo one');
    await card(page, grant.id).waitFor();
    await page.evaluate('window.notReloaded = true');
    const noAnswer = (place: string) =>
      new Promise<void>((resolve) => {
        const refuse = async (route: Route) => {
          await route.fulfill({ status: 503 });
          resolve();
        };
        void page.route(place, refuse, { times: 1 });
      });
    const missed = Promise.all([noAnswer('**/parts/**'), noAnswer(`${server.url}/`)]);
    await server.decide(await server.owner(), grant.id, 'deny', { version: 1 });
    await missed;
    await card(page, grant.id).locator('.badge').getByText('Denied').waitFor();
    await page.getByText('No connection').waitFor({ state: 'hidden' });
    expect(await page.evaluate('window.notReloaded')).toBe(true);
    expect(scene.errors).toEqual([]);
    await scene.close();
  });

  it('keeps the order of the history, although new rows could not be loaded one by one', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    const old = await server.pending(agent, 'echo old');
    await page.goto(`${server.url}/history`);
    await card(page, old.id).waitFor();
    await page.route('**/parts/row/**', (route) => route.fulfill({ status: 503 }));
    const ids = [old.id];
    const answer = holdAnswer(page, `${server.url}/history`);
    ids.unshift((await server.pending(agent, 'echo one')).id);
    ids.unshift((await server.pending(agent, 'echo two')).id);
    await answer.asked;
    answer.release();
    for (const id of ids) await card(page, id).waitFor();
    const shown = await page
      .locator('[data-rows] > *')
      .evaluateAll((rows) => rows.map((row) => (row as unknown as { dataset: { grantId: string } }).dataset.grantId));
    expect(shown).toEqual(ids);
    await scene.close();
  });

  it('keeps a decision that came while an older answer of the whole page was on its way', async () => {
    const scene = await openScene(browser(), INTERCEPTED);
    const { server, page, agent } = scene;
    const owner = await server.owner();
    const [first, last] = [await server.pending(agent, 'echo one'), await server.pending(agent, 'echo last')];
    await card(page, last.id).waitFor();
    const answer = holdAnswer(page, `${server.url}/`);
    // The pause of a requester lets the page read everything again.
    const noisy = await server.requester('noisy');
    await server.call('POST', `/v1/requesters/${noisy.id}/pause`, owner, {});
    await answer.asked;
    await server.decide(owner, first.id, 'deny', { version: 1 });
    await card(page, first.id).locator('.badge').getByText('Denied').waitFor();
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('[data-grant-id="${first.id}"]').dataset.state === 'pending') window.wentBack = true;
    }).observe(document.body, { subtree: true, childList: true })`);
    answer.release();
    await page.locator(`[data-requester-id="${noisy.id}"]`).getByText('None of its lines and calls runs').waitFor();
    await settle(page);
    expect(await page.evaluate('window.wentBack')).toBeUndefined();
    expect(await card(page, first.id).getAttribute('data-state')).toBe('denied');
    expect(scene.errors).toEqual([]);
    await scene.close();
  });

  it('shows that a request expires', async () => {
    let skipMs = 0;
    const scene = await openScene(browser(), { ...INTERCEPTED, clock: () => Date.now() + skipMs });
    const { server, page, agent } = scene;
    const grant = await server.pending(agent, 'echo late');
    skipMs = PENDING_LIFETIME_MS - 9_000;
    await page.goto(grant.url);
    await card(page, grant.id)
      .getByText(/expires in [1-9] s/)
      .waitFor();
    expect(await card(page, grant.id).locator('.decide').count()).toBe(1);
    await card(page, grant.id).getByText('No approver decided in time').waitFor();
    expect(await card(page, grant.id).getByRole('button').count()).toBe(0);
    await scene.close();
  });

  it('says that the server is not reachable, and catches up when it is back', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ape-live-'));
    const scene = await openScene(browser(), { ...INTERCEPTED, directory });
    const { server, page, agent } = scene;
    const port = server.running.port;
    const grant = await server.pending(agent, 'echo one');
    await card(page, grant.id).waitFor();
    await server.stop();
    await page.getByText('No connection').waitFor();
    const again = await TestServer.start({ directory, port });
    await again.decide(await again.owner(), grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    const fresh = await again.pending(agent, 'echo two');
    await card(page, grant.id).locator('.badge').getByText('Approved').waitFor();
    await card(page, fresh.id).waitFor();
    await page.getByText('No connection').waitFor({ state: 'hidden' });
    await scene.context.close();
    await again.stop();
    removeDirectory(directory);
  });
});
