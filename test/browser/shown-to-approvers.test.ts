/** Details that the card and the inbox show of a request, a denial that pauses its requester, and the pages without scripts and motion. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { card, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
const browser = sceneOfTest((opened) => {
  scene = opened;
});

it('the card says how the environment differs from the last approved request', async () => {
  const { server, agent, page } = scene;
  const withPath = (value: string) => ({ environment: [{ name: 'PATH', value }] });
  const before = await server.pending(agent, 'ls', withPath('/usr/bin:/bin'));
  await server.decide(await server.owner(), before.id, 'approve', { version: 1, term: { kind: 'once' } });
  const grant = await server.pending(agent, 'make', withPath('/tmp/x:/usr/bin:/bin'));
  await page.goto(grant.url);
  const difference = card(page, grant.id).locator('.environment-difference');
  expect(await difference.innerText()).toMatch(/Different from the last approved request:\s+PATH changed: \+ \/tmp\/x/);
});

it('letters that look like a-z are marked on the card, and named in the inbox', async () => {
  const { server, agent, page } = scene;
  const grant = await server.pending(agent, 'g\u0456t push'); // Cyrillic
  const plain = await server.pending(agent, 'git push');
  await page.goto(`${server.url}/`);
  await card(page, grant.id).getByText('letters that only look alike').waitFor();
  expect(await card(page, plain.id).locator('.suspect').count()).toBe(0);
  await page.goto(grant.url);
  expect(await card(page, grant.id).locator('mark.lookalike').first().innerText()).toBe('\u0456');
  expect(await card(page, grant.id).locator('.look-alikes').innerText()).toContain('U+0456, not i');
});

it('how often a requester has asked for one line is on the card and in the inbox', async () => {
  const { server, agent, page } = scene;
  const grant = await server.pending(agent, 'uptime');
  await page.goto(grant.url);
  expect(await card(page, grant.id).locator('.meta').first().innerText()).not.toContain('asked');
  for (const text of ['uptime', 'uptime']) await server.pending(agent, text);
  for (const place of [grant.url, `${server.url}/`]) {
    await page.goto(place);
    await card(page, grant.id).getByText('asked 3 times').waitFor();
  }
});

it('one tap denies a request and pauses its requester', async () => {
  const { server, agent, page } = scene;
  const grant = await server.pending(agent, 'uptime');
  await page.goto(grant.url);
  await settle(page);
  await card(page, grant.id).getByText('Deny, and why').click();
  await card(page, grant.id).getByLabel('Reason').fill('Stop.');
  await card(page, grant.id).getByRole('button', { name: 'Deny and pause this requester' }).click();
  await card(page, grant.id).locator('.badge').getByText('Denied').waitFor();
  const { body } = await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers);
  expect(body).toMatchObject({ state: 'denied', denyReason: 'Stop.' });
  expect((await server.ask(agent, 'date')).body.error.code).toBe('requester.paused');
  await page.goto(`${server.url}/`);
  await page.getByText('None of its lines and calls runs').waitFor();
});

it('the card of a request says at once that its requester was paused elsewhere, and that it was resumed', async () => {
  const { server, agent, page } = scene;
  const grant = await server.pending(agent, 'uptime');
  const owner = await server.owner();
  await page.goto(grant.url);
  const note = card(page, grant.id).getByText('This requester is paused');
  await settle(page);
  expect(await note.count()).toBe(0);
  await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {});
  await note.waitFor();
  await server.resume(owner, agent);
  await note.waitFor({ state: 'detached' });
  await server.call('POST', `/v1/requesters/${agent.id}/pause`, owner, {});
  await page.reload();
  await note.waitFor();
});

/** Every button that is shown sends a form of its own, which works without scripts. */
async function expectNoDeadButton(page: Page): Promise<void> {
  const dead = await page.locator('button:not(form[action] button):visible').allInnerTexts();
  expect([page.url(), dead]).toEqual([page.url(), []]);
}

it('without scripts a person signs in, reads everything, and reads that a decision needs JavaScript', async () => {
  const { server, agent } = scene;
  const grant = await server.pending(agent, 'uptime --pretty');
  const context = await browser().newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'uptime --pretty' }).click();
  await card(page, grant.id).getByText('uptime --pretty').first().waitFor();
  const note = page.locator('noscript .connection');
  await note.waitFor();
  expect(await note.innerText()).toBe('Deciding needs JavaScript.');
  // It is above the request, where a person looks first; and no button is shown that would do nothing.
  expect((await note.boundingBox())?.y).toBeLessThan((await card(page, grant.id).boundingBox())?.y ?? 0);
  await expectNoDeadButton(page);
  await page.getByText('More', { exact: true }).click();
  const links = await page.locator('nav a, .menu a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.length).toBeGreaterThanOrEqual(9);
  for (const link of links) {
    await page.goto(new URL(link ?? '', server.url).href);
    expect([link, await page.getByRole('heading', { level: 1 }).isVisible()]).toEqual([link, true]);
    const text = await page.locator('main').innerText();
    expect([link, text.trim().length > 20]).toEqual([link, true]);
    for (const folded of await page.locator('main details:visible > summary').all()) await folded.click();
    expect([link, await page.locator('main details:not([open]):visible').count()]).toEqual([link, 0]);
    await expectNoDeadButton(page);
  }
  await page.goto(`${server.url}/history?text=pretty`);
  await page.getByRole('link', { name: 'uptime --pretty' }).waitFor();
  await context.close();
});

it('nothing moves for a person who wants less motion', async () => {
  const { server, agent, page } = scene;
  const grant = await server.pending(agent, 'uptime');
  await page.goto(grant.url);
  const moving = () =>
    page.evaluate<number>(`(() => {
      document.querySelector('.card').classList.add('is-new');
      return [...document.querySelectorAll('*')].filter((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        return animationName !== 'none' || transitionDuration !== '0s' || scrollBehavior === 'smooth';
      }).length;
    })()`);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  expect(await moving()).toBe(1); // a new card appears with an animation
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving()).toBe(0);
});
