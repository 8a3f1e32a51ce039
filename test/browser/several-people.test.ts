/** Several people have to approve. A person who has approved sees that in place of the buttons, and goes on with the next request. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setQuorum } from '../../src/server/identity/people-administration.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import {
  approveOn,
  browserOfFile,
  card,
  DESK,
  keepPicture,
  openScene,
  PHONE,
  type Scene,
  settle,
} from './browser-fixture.ts';

const browser = browserOfFile();

describe.each([
  ['phone', PHONE],
  ['desk', { ...DESK, height: 800 }],
])('on a %s', (name, viewport) => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(browser(), { viewport, rules: allRules });
    await setQuorum(scene.server.running.store, { medium: 2 }, { nowMs: scene.server.nowMs() });
  });
  afterEach(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });
  const picture = (what: string) => keepPicture(scene.page, `several-${what}-${name}`, { fullPage: false });

  it('after a person’s approval the page shows the next request, and after the last one a sentence in place of the buttons', async () => {
    const { page, agent, server } = scene;
    const first = await server.pending(agent, 'git push origin main');
    const second = await server.pending(agent, 'git push origin next');
    await page.goto(first.url);
    await expect.poll(() => page.title()).toMatch(/^\(2\) /);
    await approveOn(scene, first.id);
    await card(page, second.id).waitFor();
    expect(await page.locator('.decided').innerText()).toBe(
      'You approved; one more person has to approve: git push origin main · next:',
    );
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    await picture('next');
    await settle(page);
    await approveOn(scene, second.id);
    const shown = card(page, second.id);
    await shown.getByText('You approved; one more person has to approve.', { exact: true }).waitFor();
    expect(await shown.getByRole('button', { name: /^Approve|^\d+$/ }).count()).toBe(0);
    expect(await shown.getByRole('button', { name: 'Deny', exact: true }).count()).toBe(1);
    await shown.getByText('You approved; one more person has to approve.').and(page.locator('.actions *')).waitFor();
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    await picture('approved');
    await page.goto(`${server.url}/`);
    await page.locator('.group summary').click();
    await card(page, first.id).getByText('you approved; one more person has to approve').waitFor();
    await picture('inbox');
  });

  it('the second approval ends the wait on the page of the first person, too', async () => {
    const { page, agent, server } = scene;
    const grant = await server.pending(agent, 'git push origin main');
    const grace = await server.person('Grace');
    await page.goto(grant.url);
    await approveOn(scene, grant.id);
    await card(page, grant.id).getByText('You approved; one more person has to approve.').waitFor();
    const approval = { version: 2, term: { kind: 'once' } };
    expect((await server.decide(grace.headers, grant.id, 'approve', approval)).body.state).toBe('approved');
    await card(page, grant.id).getByRole('button', { name: 'Revoke' }).waitFor();
    await picture('over');
  });

  it('a group that was approved together offers no second approval', async () => {
    const { page, agent, server } = scene;
    await setQuorum(server.running.store, { low: 2 }, { nowMs: server.nowMs() });
    for (const path of ['a', 'b']) await pendingLine(server, agent, `touch ${path}`);
    await page.goto(`${server.url}/`);
    await page.locator('.group summary').click();
    await settle(page);
    await picture('group-before');
    await page.getByRole('button', { name: 'Approve all 2 once' }).click();
    await expect
      .poll(() => page.locator('.group').getByText('you approved; one more person has to approve').count())
      .toBe(2);
    await expect.poll(() => page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await picture('group');
    await page.reload();
    await page.locator('.group summary').click();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Deny all 2' }).waitFor();
  });
});
