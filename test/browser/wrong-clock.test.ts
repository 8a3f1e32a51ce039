/** On a phone whose clock is a year behind or ahead, the pages show times and set terms by the server's clock. */
import { describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PeopleRulesView } from '../../src/core/wire/people.ts';
import { approveOn, browserOfFile, card, openGrant, openScene, settle } from './browser-fixture.ts';

const browser = browserOfFile();
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

describe.each([
  ['behind', -YEAR_MS],
  ['ahead', YEAR_MS],
])('a clock that is a year %s', (_name, skewMs) => {
  it('changes neither what is shown nor what is decided', async () => {
    const scene = await openScene(browser());
    try {
      const { page, server, agent } = scene;
      await page.clock.install({ time: Date.now() + skewMs });
      const owner = await server.owner();
      const grace = await server.person('Grace');
      const grant = await server.pending(agent, 'unknown-program');
      await openGrant(page, grant);
      await card(page, grant.id).getByText('just now').waitFor();
      await settle(page);
      await approveOn(scene, grant.id, '1 h');
      await card(page, grant.id).getByText('Approved', { exact: true }).waitFor();
      const { term } = (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, owner)).body;
      const untilMs = term?.kind === 'timed' ? term.untilMs : 0;
      expect(Math.abs(untilMs - Date.now() - HOUR_MS)).toBeLessThan(60_000);

      await page.goto(`${server.url}/people`);
      const section = page.locator('section.delegations');
      await section.getByLabel('To').selectOption('Grace');
      await section.getByLabel('How long').selectOption('8 hours');
      await section.getByRole('button', { name: 'Delegate' }).click();
      await section.getByText('Grace decides for owner until').waitFor();
      const [made] = (await server.call<PeopleRulesView>('GET', '/v1/people-rules', owner)).body.delegations;
      expect(made?.to).toBe(grace.id);
      expect(Math.abs((made?.untilMs ?? 0) - Date.now() - 8 * HOUR_MS)).toBeLessThan(60_000);
      expect(scene.errors).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});
