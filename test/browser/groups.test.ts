/** Requests of one kind, which the inbox shows as one entry: they are decided together, and a group has one risk. */
import { expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { newAuthenticator } from './authenticator.ts';
import { type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { rules: allRules },
);

const file = async (...lines: readonly string[]): Promise<readonly GrantView[]> => {
  const filed: GrantView[] = [];
  for (const line of lines) filed.push(await pendingLine(scene.server, scene.agent, line));
  return filed;
};

const stored = async ({ id }: GrantView) =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;

/** Opens the inbox with the one group that it has. */
async function openGroup(at = scene.server.url) {
  await scene.page.goto(`${at}/`);
  const group = scene.page.locator('.group');
  await group.locator('summary').click();
  await settle(scene.page);
  return group;
}

it('three are approved together, each once and each by its own decision', async () => {
  const filed = await file('touch a', 'touch b', 'touch c');
  const group = await openGroup();
  expect(await group.locator('.pair').innerText()).toMatch(/Approve all 3 once\s+not sealed$/);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  await expect.poll(() => group.getByRole('button').count()).toBe(0);
  expect(await group.getByText('not sealed').isVisible()).toBe(false);
  expect(await group.locator('.message').textContent()).toBe('');
  for (const grant of filed) expect(await stored(grant)).toMatchObject({ state: 'approved', term: { kind: 'once' } });
});

it('three are denied together; one that was decided meanwhile is left as it is, and the group says so', async () => {
  const filed = await file('touch a', 'touch b', 'touch c');
  await scene.page.route('**/v1/events*', (route) => route.abort()); // this page hears of no decision
  const group = await openGroup();
  const [first, ...others] = filed as readonly [GrantView, ...GrantView[]];
  await scene.server.decide(await scene.server.owner(), first.id, 'approve', { version: 1, term: { kind: 'once' } });
  await group.getByRole('button', { name: 'Deny all 3' }).click();
  await group.getByText('1 of them were not decided: open each to see why.').waitFor();
  expect((await stored(first)).state).toBe('approved');
  for (const grant of others) expect((await stored(grant)).state).toBe('denied');
});

it('two are a group, and one is none', async () => {
  await file('touch a');
  await scene.page.goto(`${scene.server.url}/`);
  await scene.page.locator('.brief').waitFor();
  expect(await scene.page.locator('.group').count()).toBe(0);
  const [second] = (await file('touch b')) as readonly [GrantView];
  const group = await openGroup();
  await group.getByRole('button', { name: 'Approve all 2 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(2);
  expect(await stored(second)).toMatchObject({ state: 'approved', term: { kind: 'once' } });
});

it('one prompt for a passkey confirms all of them; the group is silent afterwards, and a cancelled prompt decides nothing', async () => {
  const { page, server } = scene;
  const address = server.url.replace('127.0.0.1', 'localhost');
  const { cdp, authenticatorId } = await newAuthenticator(page);
  const asserted: unknown[] = [];
  cdp.on('WebAuthn.credentialAsserted', (event) => asserted.push(event));
  await page.goto(`${address}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.getByRole('button', { name: 'Register this device' }).click();
  await page.waitForURL('**/devices?after=registered');
  const filed = await file('touch a', 'touch b', 'touch c');
  const group = await openGroup(address);
  const message = group.locator('.message');

  await page.route('**/v1/approvals', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/"timeoutMs":\d+/, '"timeoutMs":1000'),
    });
  });
  const present = (enabled: boolean) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  await present(false);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await message.getByText('Confirm with your passkey').waitFor();
  await message.getByText('You cancelled, or the prompt timed out.').waitFor();
  for (const grant of filed) expect((await stored(grant)).state).toBe('pending');

  await present(true);
  await settle(page);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  await expect.poll(() => message.textContent()).toBe('');
  expect(asserted).toHaveLength(1);
});

it('of different risks are never in one group, and what needs a number is not approved together', async () => {
  await file(
    ...['touch a', 'touch b', 'touch c'],
    ...['rm -rf a', 'rm -rf b', 'rm -rf c'],
    ...['rm x', 'rm y', 'rm -r z'],
    ...['cat a', 'cat b', 'cat c', 'cat /etc/shadow', 'cat ~/.ssh/id_ed25519'],
    ...['unheard-of 1', 'unheard-of 2', 'unheard-of 3'],
  );
  await scene.page.goto(`${scene.server.url}/`);
  const groups = scene.page.locator('.group');
  const risks = await scene.page.evaluate<string[][]>(
    "[...document.querySelectorAll('.group')].map((group) => [...new Set([...group.querySelectorAll('.brief')].map(({ dataset }) => dataset.risk))])",
  );
  expect(risks.length).toBeGreaterThanOrEqual(3);
  for (const [at, each] of risks.entries()) {
    expect(each).toHaveLength(1);
    const offered = await groups.nth(at).locator('[data-all="approve"]').count();
    expect([each, offered]).toEqual([each, each[0] === 'low' || each[0] === 'medium' ? 1 : 0]);
  }
  expect(new Set(risks.flat()).size).toBeGreaterThanOrEqual(3);
});
