/** The approval page in Chromium: an approver approves, denies and revokes, and sees what others decided. */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { approveOn, card, INTERCEPTED, openGrant, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest((opened) => {
  scene = opened;
}, INTERCEPTED);

const stored = async (id: string): Promise<GrantView> =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;
const state = (id: string) => card(scene.page, id).locator('.badge');
const button = (id: string, name: string) => card(scene.page, id).getByRole('button', { name, exact: true });

/** Taps as soon as the button appears. The tap comes from a script in the page, so that it is fast on a slow machine too. */
const tapWhenShown = (id: string) =>
  scene.page.evaluate(`new MutationObserver((_, observer) => {
    const button = document.querySelector('[data-grant-id="${id}"] button[data-verb="approve"]');
    if (button === null) return;
    observer.disconnect();
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
    window.hasTapped = true;
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);

describe('the approval page', () => {
  it('approves once: the card changes in place, and the requester may run the line once', async () => {
    const grant = await scene.server.pending(scene.agent, 'git status');
    await openGrant(scene.page, grant);
    await scene.page.evaluate('window.notReloaded = true');
    await approveOn(scene, grant.id, 'Approve once');
    await state(grant.id).getByText('Approved').waitFor();
    expect((await scene.server.redeem(scene.agent, grant)).status).toBe(200);
    await state(grant.id).getByText('Used').waitFor();
    expect((await scene.server.redeem(scene.agent, grant)).status).toBe(409);
    expect(await scene.page.evaluate('window.notReloaded')).toBe(true);
  });

  it('approves for a time, always, and until a date', async () => {
    for (const [name, minutes] of [
      ['15 min', 15],
      ['1 h', 60],
      ['8 h', 480],
    ] as const) {
      const grant = await scene.server.pending(scene.agent, `make ${minutes}`);
      await openGrant(scene.page, grant);
      await approveOn(scene, grant.id, name);
      await state(grant.id).getByText('Approved').waitFor();
      const { term } = await stored(grant.id);
      const leftMs = term?.kind === 'timed' ? term.untilMs - Date.now() : 0;
      expect(leftMs).toBeGreaterThan((minutes - 1) * 60_000);
      expect(leftMs).toBeLessThanOrEqual(minutes * 60_000);
    }
    const always = await scene.server.pending(scene.agent, 'uptime');
    await openGrant(scene.page, always);
    await approveOn(scene, always.id, 'Always');
    await state(always.id).getByText('Approved').waitFor();
    expect((await stored(always.id)).term).toEqual({ kind: 'always' });

    const dated = await scene.server.pending(scene.agent, 'df -h');
    await openGrant(scene.page, dated);
    await card(scene.page, dated.id).locator('.until-date').fill('2031-03-04T05:06');
    await approveOn(scene, dated.id, 'Approve until then');
    await state(dated.id).getByText('Approved').waitFor();
    const here = await scene.page.evaluate<number>("new Date('2031-03-04T05:06').getTime()");
    expect((await stored(dated.id)).term).toEqual({ kind: 'timed', untilMs: here });
  });

  it('says that a chosen date is over, and the request stays undecided', async () => {
    const grant = await scene.server.pending(scene.agent, 'df -h');
    await openGrant(scene.page, grant);
    await card(scene.page, grant.id).locator('.until-date').fill('2020-01-01T00:00');
    await approveOn(scene, grant.id, 'Approve until then');
    await card(scene.page, grant.id).getByText('That moment has passed').waitFor();
    expect((await stored(grant.id)).state).toBe('pending');
  });

  it('denies with a reason that the requester sees', async () => {
    const grant = await scene.server.pending(scene.agent, 'rm -rf build');
    await openGrant(scene.page, grant);
    await card(scene.page, grant.id).getByText('Deny, and why').click();
    await card(scene.page, grant.id).getByLabel('Reason').fill('Use make clean <instead>.');
    await button(grant.id, 'Deny with this reason').click();
    await state(grant.id).getByText('Denied').waitFor();
    await card(scene.page, grant.id).getByText('“Use make clean <instead>.”').waitFor();
    expect(await stored(grant.id)).toMatchObject({ state: 'denied', denyReason: 'Use make clean <instead>.' });
  });

  it('revokes a standing approval, also one that is being used all the time', async () => {
    const owner = await scene.server.owner();
    const grant = await scene.server.pending(scene.agent, 'date');
    await scene.server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'always' } });
    await scene.page.route('**/v1/events*', (route) => route.abort()); // this page hears of no use
    await scene.page.goto(`${scene.server.url}/standing`);
    for (let uses = 0; uses < 3; uses += 1) expect((await scene.server.ask(scene.agent, 'date')).status).toBe(200);
    await button(grant.id, 'Revoke').click();
    await state(grant.id).getByText('Revoked').waitFor();
    expect((await scene.server.ask(scene.agent, 'date')).status).toBe(202);
  });

  it('refuses a late decision, and shows what another person decided', async () => {
    const grant = await scene.server.pending(scene.agent, 'halt');
    await scene.page.route('**/v1/events*', (route) => route.abort());
    await openGrant(scene.page, grant);
    await scene.server.decide(await scene.server.owner(), grant.id, 'deny', { version: 1, reason: 'no' });
    await approveOn(scene, grant.id, 'Approve once');
    await card(scene.page, grant.id).getByText('Not done: this grant was denied.').waitFor();
    await state(grant.id).getByText('Denied').waitFor();
    expect((await stored(grant.id)).state).toBe('denied');
  });

  it('refuses a decision about an outdated version of the request, and shows the current one', async () => {
    const grant = await scene.server.pending(scene.agent, 'halt');
    await openGrant(scene.page, grant);
    await card(scene.page, grant.id).evaluate((element) => element.setAttribute('data-version', '7'));
    await approveOn(scene, grant.id, 'Approve once');
    await card(scene.page, grant.id).getByText('This request changed since you saw it').waitFor();
    expect((await stored(grant.id)).state).toBe('pending');
    await settle(scene.page);
    await approveOn(scene, grant.id, 'Approve once');
    await state(grant.id).getByText('Approved').waitFor();
  });

  it('counts a double tap as one decision, although the next card appears under the finger', async () => {
    const first = await scene.server.pending(scene.agent, 'echo first');
    const second = await scene.server.pending(scene.agent, 'echo second');
    await openGrant(scene.page, first);
    await tapWhenShown(second.id);
    await approveOn(scene, first.id, 'Approve once');
    await expect.poll(() => scene.page.evaluate('window.hasTapped')).toBe(true);
    await settle(scene.page);
    expect((await stored(second.id)).state).toBe('pending');
    await approveOn(scene, second.id, 'Approve once');
    await state(second.id).getByText('Approved').waitFor();
  });

  it('puts the next request in the place of the decided one, under its own address', async () => {
    const [first, second, third] = [
      await scene.server.pending(scene.agent, 'echo first'),
      await scene.server.pending(scene.agent, 'echo second'),
      await scene.server.pending(scene.agent, 'echo third'),
    ];
    await openGrant(scene.page, second);
    await button(second.id, 'Deny').click();
    await card(scene.page, first.id).waitFor();
    expect(new URL(scene.page.url()).pathname).toBe(`/grants/${first.id}`);
    expect(await scene.page.evaluate('document.activeElement.dataset.grantId')).toBe(first.id);
    expect(await scene.page.locator('.decided').innerText()).toBe('Denied: echo second · next:');
    await settle(scene.page);
    await button(first.id, 'Deny').click();
    await card(scene.page, third.id).waitFor();
    await settle(scene.page);
    await button(third.id, 'Deny').click();
    await state(third.id).getByText('Denied').waitFor(); // nothing else waits: it stays
    await scene.page.goBack();
    await state(first.id).getByText('Denied').waitFor();
  });

  it.each(['card', 'next'])(
    'shows the next request also when the event about the decision comes first and its %s last',
    async (last) => {
      const [first, second] = [
        await scene.server.pending(scene.agent, 'echo first'),
        await scene.server.pending(scene.agent, 'echo second'),
      ];
      await openGrant(scene.page, first);
      const slow = async (route: Route) => {
        const response = await route.fetch();
        await delay(1_500);
        await route.fulfill({ response });
      };
      const cardAsked = scene.page.waitForRequest(`**/parts/card/${first.id}*`);
      await scene.page.route('**/v1/grants/*/deny', async (route) => {
        const response = await route.fetch();
        await cardAsked;
        await route.fulfill({ response });
      });
      await scene.page.route(`**/parts/${last}/${first.id}*`, slow);
      await button(first.id, 'Deny').click();
      await card(scene.page, second.id).waitFor();
      await settle(scene.page);
      await delay(2_000);
      expect(await card(scene.page, first.id).count()).toBe(0);
      expect(new URL(scene.page.url()).pathname).toBe(`/grants/${second.id}`);
    },
  );

  it('can be used with only the keyboard', async () => {
    const grant = await scene.server.pending(scene.agent, 'whoami');
    await openGrant(scene.page, grant);
    const number = await scene.server.matchNumber(grant.id);
    const focused = () => scene.page.evaluate('document.activeElement.textContent.trim()');
    for (let presses = 0; presses < 20 && (await focused()) !== number; presses += 1)
      await scene.page.keyboard.press('Tab');
    expect(await focused()).toBe(number);
    const outline = await scene.page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await scene.page.keyboard.press('Enter');
    await state(grant.id).getByText('Approved').waitFor();
    expect(await scene.page.evaluate('document.activeElement.dataset.grantId')).toBe(grant.id);
  });

  it('enrols a host, whose code is shown', async () => {
    const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '';
    const who = { name: 'builder', host: 'ci', user: 'ci', publicKey };
    const { nonce, body: asked } = await scene.server.asksForEnrolment(who);
    await scene.page.getByText('wants to use this server').waitFor(); // the inbox is open, and live
    await openGrant(scene.page, asked);
    const approve = scene.page.getByRole('button', { name: 'Same code: approve' });
    await scene.page.getByText('The host has not sent its part of the code yet.').waitFor();
    expect([await approve.count(), await scene.page.locator('.code-line').count()]).toEqual([0, 0]);
    await scene.page.getByRole('button', { name: 'Deny' }).waitFor();
    const { code } = (await scene.server.sendNonce(asked.enrolmentId, nonce)).body;
    const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
    await scene.page.locator('.code-line').getByText(shown).waitFor(); // without a reload
    await scene.page.getByText(`Approve only if that host shows the same code: ${shown}`).waitFor();
    await settle(scene.page);
    const sent = scene.page.waitForRequest((request) => request.url().endsWith('/approve'));
    await approve.click();
    expect((await sent).postDataJSON()).toEqual({ code });
    await scene.page.getByText('Enrolled: this host may ask now').waitFor();
    const now = await scene.server.call<{ state: string }>('GET', `/v1/enrolments/${asked.enrolmentId}`);
    expect(now.body.state).toBe('approved');
  });
});
