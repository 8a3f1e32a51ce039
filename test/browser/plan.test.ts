/** The card of a plan: the approver strikes parts out, narrows others and approves the plan; then the card shows what was done. */
import { expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { nonce, requestFor } from '../component/server-fixture.ts';
import { allRules } from '../core/rule-effects.ts';
import { card, keepPicture, openGrant, type Scene, sceneOfTest } from './browser-fixture.ts';
import { pendingPlan } from './typical-requests.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { rules: allRules },
);

it('a decided plan has its title in the link above the next request', async () => {
  const grant = await pendingPlan(scene.server, scene.agent, ['echo one', 'echo two']);
  const other = await scene.server.pending(scene.agent, 'echo other');
  await openGrant(scene.page, grant);
  await card(scene.page, grant.id).getByRole('button', { name: 'Deny', exact: true }).click();
  await card(scene.page, other.id).waitFor();
  expect(await scene.page.locator('.decided').innerText()).toBe('Denied: Plan of 2 parts, not approved · next:');
});

it('the approver strikes out a part, narrows another and approves with one pick of the number; then the card shows what was done', async () => {
  const grant = await pendingPlan(scene.server, scene.agent, ['echo one', 'rm -rf build', 'npm test']);
  await openGrant(scene.page, grant);
  const shown = card(scene.page, grant.id);
  for (const [width, height] of [
    [360, 740],
    [1280, 900],
  ] as const) {
    await scene.page.setViewportSize({ width, height });
    await keepPicture(scene.page, `plan-${width}`);
    expect(await scene.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  await shown.locator('.plan-part[data-part="2"] .keep-part').uncheck();
  await shown.locator('.plan-part[data-part="1"] .part-uses').fill('1');
  const number = await scene.server.matchNumber(grant.id);
  await shown.locator('.choices button', { hasText: number ?? '' }).click();
  const stored = async () =>
    (await scene.server.call<GrantView>('GET', `/v1/grants/${grant.id}`, scene.agent.headers)).body;
  await expect.poll(async () => (await stored()).state).toBe('approved');
  expect((await stored()).scope).toMatchObject({
    kind: 'plan',
    parts: [
      { part: 1, uses: 1 },
      { part: 3, uses: 3 },
    ],
  });
  await openGrant(scene.page, grant);
  expect(await shown.locator('.plan-title').innerText()).toContain('Planned 2, done 0');
  expect(await shown.locator('.plan-part[data-part="2"] .part-state').innerText()).toBe('Struck out');
  const line = requestFor('echo one', { cwd: '/p', argv: ['-c', 'echo one'] });
  const body = { request: line, nonce: nonce(), findings: null };
  expect((await scene.server.call('POST', '/v1/requests', scene.agent.headers, body)).status).toBe(200);
  await scene.page.setViewportSize({ width: 360, height: 740 });
  await openGrant(scene.page, grant);
  const run = shown.locator('.part-runs li');
  await run.getByText('echo one').waitFor();
  const bullet = await scene.page.evaluate("getComputedStyle(document.querySelector('.part-runs li')).listStyleType");
  expect(bullet).toBe('none'); // a bullet would be outside the card
  await keepPicture(scene.page, 'plan-sheet');
});
