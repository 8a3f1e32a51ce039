/** The page Requesters in a real Chromium: a new key is asked for, and the page says when the host has made it. */
import { describe, expect, it } from 'vitest';
import { pemOf, RotatingHost } from '../component/rotating-host.ts';
import { DESK, keepPicture, PHONE, type Scene, sceneOfTest } from './browser-fixture.ts';

describe.each([
  ['on a phone', { viewport: PHONE }],
  ['on a desk, dark', { viewport: DESK, colorScheme: 'dark' as const }],
])('%s', (name, options) => {
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
});
