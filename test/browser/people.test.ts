/** The pages People and Settings in a real Chromium: the owner sets limits, delegations, on-call weeks and the quorum; other people only see them. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PeopleRulesView, PersonView } from '../../src/core/wire/people.ts';
import { approveOn, card, DESK, keepPicture, openBrowser, openScene, PHONE, type Scene } from './browser-fixture.ts';

let browser: Browser;
let scene: Scene;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each([
  ['on a phone', { viewport: PHONE }],
  ['on a desk, dark', { viewport: DESK, colorScheme: 'dark' as const }],
])('the page People %s', (name, options) => {
  let owner: Readonly<Record<string, string>>;
  let grace: Awaited<ReturnType<Scene['server']['person']>>;
  beforeEach(async () => {
    scene = await openScene(browser, options);
    owner = await scene.server.owner();
    grace = await scene.server.person('Grace');
  });
  afterEach(() => scene.close());

  const picture = (what: string) => keepPicture(scene.page, `${what}-${name}`);
  const people = async () =>
    (await scene.server.call<{ people: readonly PersonView[] }>('GET', '/v1/people', owner)).body.people;
  const storedGrace = async () => (await people()).find(({ id }) => id === grace.id);
  const rules = async () => (await scene.server.call<PeopleRulesView>('GET', '/v1/people-rules', owner)).body;
  const open = (path: string) => scene.page.goto(`${scene.server.url}${path}`);

  it('limits are set, kept when nothing is touched, and lifted', async () => {
    const { page, agent, server } = scene;
    await server.requester('other-agent');
    await open('/people');
    const entry = page.locator(`[data-person-id="${grace.id}"]`);
    await entry.getByText('decides everything', { exact: true }).waitFor();
    await entry.getByText('Change …').click();
    await picture('people-limits');
    await entry.getByLabel('Decides').selectOption('up to medium risk');
    await entry.getByLabel('Only on these hosts').fill('box, other');
    await entry
      .getByRole('group', { name: 'Only what these requesters ask for' })
      .getByLabel('agent on box', { exact: true })
      .check();
    await entry.getByRole('button', { name: 'Set', exact: true }).click();
    await entry.getByText('decides requests of agent on box, other up to medium risk').waitFor();
    const limits = { requesters: [agent.id], hosts: ['box', 'other'], upTo: 'medium' };
    expect(await storedGrace()).toMatchObject({ limits, own: [] });
    await entry.getByText('Change …').click();
    await entry.getByRole('group', { name: 'Requesters of this person' }).getByLabel('other-agent').check();
    await entry.getByRole('button', { name: 'Set', exact: true }).click();
    await entry.getByText('Decides nothing that other-agent asks for.').waitFor();
    expect(await storedGrace()).toMatchObject({ limits });
    await entry.getByText('Change …').click();
    await entry.getByRole('button', { name: 'Lift all limits' }).click();
    await entry.getByText('decides everything', { exact: true }).waitFor();
    expect(await storedGrace()).toMatchObject({ limits: null });
    // Without limits there is nothing to lift, so the button is gone.
    expect(await entry.getByRole('button', { name: 'Lift all limits' }).count()).toBe(0);
    expect(scene.errors).toEqual([]);
  });

  it('the owner chooses the requesters that belong to the owner', async () => {
    const { page, agent } = scene;
    await open('/people');
    const entry = page.locator('[data-person-id="s_owner"]');
    await entry.getByText('Change …').click();
    await entry
      .getByRole('group', { name: 'Requesters of this person' })
      .getByLabel('agent on box', { exact: true })
      .check();
    await picture('people-of-the-owner');
    await entry.getByRole('button', { name: 'Set', exact: true }).click();
    await entry.getByText('Decides nothing that agent asks for.').waitFor();
    expect((await people()).find(({ isOwner }) => isOwner)).toMatchObject({ own: [agent.id], limits: null });
  });

  it('a limit whose only requester was revoked stays a limit', async () => {
    const { page, server } = scene;
    const gone = await server.requester('gone');
    const limits = { requesters: [gone.id], hosts: null, upTo: 'critical' };
    await server.call('POST', `/v1/people/${grace.id}`, owner, { limits });
    await server.call('POST', `/v1/requesters/${gone.id}/revoke`, owner, {});
    await open('/people');
    const entry = page.locator(`[data-person-id="${grace.id}"]`);
    await entry.getByText('Change …').click();
    await entry.getByLabel('Decides').selectOption('all requests, and who may decide');
    await entry.getByRole('button', { name: 'Set', exact: true }).click();
    await page.waitForLoadState();
    await entry.getByText(`decides requests of ${gone.id}`).waitFor();
    expect(await storedGrace()).toMatchObject({ limits });
  });

  it('a person becomes an auditor, who sees the page and changes nothing', async () => {
    const { page, server } = scene;
    await open('/people');
    const entry = page.locator(`[data-person-id="${grace.id}"]`);
    await entry.getByText('Change …').click();
    await entry.getByLabel('Role').selectOption('auditor');
    await entry.getByRole('button', { name: 'Set', exact: true }).click();
    await entry.getByText('sees everything, decides nothing').waitFor();
    for (const path of ['/people', '/settings']) {
      const seen = await fetch(`${server.url}${path}`, { headers: { cookie: grace.headers['cookie'] ?? '' } });
      expect([seen.status, (await seen.text()).includes('data-path')]).toEqual([200, false]);
    }
    const refused = await server.call('POST', '/v1/people-rules', grace.headers, { rota: null });
    expect(refused.status).toBe(403);
  });

  it('a delegation is made, shown and ended', async () => {
    const { page } = scene;
    const ada = await scene.server.person('Ada');
    await open('/people');
    const section = page.locator('section.delegations');
    await section.getByLabel('From').selectOption('Ada');
    await section.getByLabel('To').selectOption('Grace');
    await section.getByLabel('How long').selectOption('8 hours');
    await section.getByRole('button', { name: 'Delegate' }).click();
    await section.getByText('Grace decides for Ada until').waitFor();
    const [made] = (await rules()).delegations;
    expect(made).toMatchObject({ from: ada.id, to: grace.id });
    expect(Math.abs((made?.untilMs ?? 0) - Date.now() - 8 * 3_600_000)).toBeLessThan(60_000);
    await section.getByRole('button', { name: 'End it now' }).click();
    await section.getByText('Grace decides for Ada until').waitFor({ state: 'detached' });
    expect((await rules()).delegations).toEqual([]);
    expect(scene.errors).toEqual([]);
  });

  it('on-call weeks are set, shown and ended', async () => {
    const { page } = scene;
    await open('/people');
    const section = page.locator('section.on-call');
    await section.getByText('Change …').click();
    await section.getByLabel('Grace').check();
    await section.getByLabel('The first week begins').fill('2026-01-05T09:00');
    await section.getByLabel('Time zone').fill('Europe/Berlin');
    await section.getByLabel('Minutes until the others are notified').selectOption('30');
    await section.getByRole('button', { name: 'Set', exact: true }).click();
    await section.getByText('Grace is on call until').waitFor();
    await picture('people');
    const rota = { persons: [grace.id], from: '2026-01-05T09:00', timeZone: 'Europe/Berlin', thenMinutes: 30 };
    expect((await rules()).onCall).toMatchObject({ rota, now: { personId: grace.id } });
    await section.getByText('Change …').click();
    await section.getByLabel('Time zone').fill('Mars/Olympus');
    await section.getByRole('button', { name: 'Set', exact: true }).click();
    await section.getByText('Not done: "Mars/Olympus" is no time zone such as Europe/Berlin.').waitFor();
    await section.getByRole('button', { name: 'End the on-call weeks' }).click();
    await section.getByText('There are no on-call weeks').waitFor();
    expect((await rules()).onCall).toBeNull();
    expect(scene.errors).toEqual([]);
  });

  it('a break-glass code is made; with it a person without a name decides alone, and the owner ends it', async () => {
    const { page, server, agent } = scene;
    await open('/people');
    const section = page.locator('section.break-glass');
    await section.getByLabel('Name of a code').fill('Safe in the office');
    await section.getByRole('button', { name: 'Make a code' }).click();
    const shown = section.locator('.new-code');
    await shown.waitFor();
    const code = (await shown.textContent()) ?? '';
    const context = await browser.newContext(options);
    const other = await context.newPage();
    await other.goto(server.url);
    await other.getByText('Use a recovery code, or a break-glass code').click();
    await other.getByLabel('Code', { exact: true }).fill(code);
    await other.getByRole('button', { name: 'Sign in with this code' }).click();
    await other.getByText('You signed in with a break-glass code').waitFor();
    const grant = await server.pending(agent, 'unknown-program');
    await other.goto(grant.url);
    await approveOn({ ...scene, page: other }, grant.id);
    await card(other, grant.id).getByText('Approved', { exact: true }).waitFor();
    await keepPicture(other, `break-glass-${name}`);
    await open('/people');
    await picture('people-break-glass');
    await section.getByText('Safe in the office (break-glass)').waitFor();
    await section.getByRole('button', { name: 'End it now' }).click();
    await section.getByText('In use').waitFor({ state: 'detached' });
    await other.goto(server.url);
    await other.getByText('Use a recovery code, or a break-glass code').waitFor();
    await context.close();

    // An accidental tap does not end a code.
    await section.getByLabel('Name of a code').fill('Till');
    await section.getByRole('button', { name: 'Make a code' }).click();
    await shown.waitFor();
    await open('/people');
    const entry = section.locator('.card', { hasText: 'Till' });
    expect(await entry.getByRole('button', { name: 'Take it back' }).isVisible()).toBe(false);
    await entry.getByText('Take it back …').click();
    await entry.getByRole('button', { name: 'Take it back' }).click();
    await entry.waitFor({ state: 'detached' });
    expect(scene.errors).toEqual([]);
  });

  it('the settings say how many people an approval takes, and when a passkey is needed', async () => {
    const { page } = scene;
    await open('/settings');
    expect(await page.evaluate(CUT_CHOICES)).toEqual([]);
    await page.getByLabel('high risk').selectOption('2');
    await page.locator('section.quorum').getByRole('button', { name: 'Set' }).click();
    await page.waitForLoadState();
    await expect.poll(async () => (await rules()).quorum).toEqual({ low: 1, medium: 1, high: 2, critical: 1 });
    await page.getByLabel('A person who has a passkey').selectOption('no approval');
    await page.locator('section.when').getByRole('button', { name: 'Set' }).click();
    const above = async () =>
      (await scene.server.call<{ passkeyAbove: string }>('GET', '/v1/approval-settings', owner)).body.passkeyAbove;
    await expect.poll(above).toBe('critical');
    await picture('settings');
    expect(scene.errors).toEqual([]);
  });
});

/** Returns the choices of the page whose text is wider than their box. */
const CUT_CHOICES = `[...document.querySelectorAll('select')].flatMap((select) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = font;
  const arrow = 20;
  const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow;
  return [...select.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
})`;
