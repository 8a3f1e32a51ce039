/** The page Requesters in a real Chromium: the owner asks for a new key, the page shows when the host has made it, and hosts have cards. */
import { describe, expect, it } from 'vitest';
import { pemOf, RotatingHost } from '../component/rotating-host.ts';
import { DESK, keepPicture, PHONE, type Scene, sceneOfTest } from './browser-fixture.ts';

describe.each([
  ['on a phone', { viewport: PHONE }],
  ['on a desk, dark', { viewport: DESK, colorScheme: 'dark' as const }],
])('the page Requesters %s', (name, options) => {
  let scene: Scene;
  sceneOfTest((opened) => {
    scene = opened;
  }, options);

  const picture = (what: string) => keepPicture(scene.page, `${what}-${name}`);

  it('a host is asked for a new key, and makes it at its next call', async () => {
    const { page, agent, server } = scene;
    const host = await RotatingHost.of(server, agent);
    await page.goto(`${server.url}/requesters`);
    const card = page.locator(`[data-requester-id="${agent.id}"]`);
    const before = await card.locator('.meta code').innerText();
    await card.getByText('New key …').click();
    await picture('requesters-rotate');
    await card.getByRole('button', { name: 'Ask for a new key' }).click();
    await card.getByText('Asked for a new key').first().waitFor();
    await card.getByText('the host makes it at its next connection.').first().waitFor();
    await picture('requesters-asked');
    expect(await host.whoami()).toBe(200);
    expect(host.key).not.toBe(pemOf(agent.privateKey));
    await page.reload();
    await card.getByText('new since').waitFor();
    expect(await card.locator('.meta code').innerText()).not.toBe(before);
    expect(await card.getByText('Asked for a new key').count()).toBe(0);
    await picture('requesters-rotated');
  });

  it('all requesters of a host are paused, resumed and revoked by a tap each', async () => {
    const { page, agent, server } = scene;
    const second = await server.requester('second', 'box', 'second');
    await server.requester('third', 'attic');
    const ask = async () => [
      (await server.ask(agent, 'ls')).status,
      (await server.ask(second, 'ls', { user: 'second' })).status,
    ];
    await page.goto(`${server.url}/requesters`);
    const card = page.getByRole('article', { name: 'All 2 requesters on box' });
    const tap = async (name: string, shows: string) => {
      await card.getByRole('button', { name }).click();
      await page.getByRole('button', { name: shows }).first().waitFor();
    };
    await picture('host');
    expect(await page.locator('[data-host]').count()).toBe(1);
    await tap('Pause all', 'Resume all');
    expect(await ask()).toEqual([403, 403]);
    await picture('host-paused');
    await tap('Resume all', 'Pause all');
    expect(await ask()).toEqual([202, 202]);
    await card.getByText('Revoke all …').click();
    await picture('host-revoke');
    await card.getByRole('button', { name: 'Revoke all 2' }).click();
    await page.getByText('Revoked').nth(1).waitFor();
    expect(await ask()).toEqual([401, 401]);
    expect(await card.count()).toBe(0);
  });
});
