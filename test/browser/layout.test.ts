import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, openScene } from './browser-fixture.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const WIDE = 'w'.repeat(300);

/** Elements whose own text has less than 4.5 : 1 against what is behind it (WCAG 2.2, 1.4.3). */
const FAINT = `(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const backOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('main *, .bar *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || element.getClientRects().length === 0) continue;
    const [front, back] = [light(numbers(getComputedStyle(element).color)), light(backOf(element))];
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) found.push(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2));
  }
  return found;
})()`;

describe('every page', () => {
  it('fits 360 px without scrolling sideways, with buttons a thumb can hit', async () => {
    const scene = await openScene(browser);
    const { server, page } = scene;
    const agent = await server.requester(WIDE.slice(0, 200), WIDE.slice(0, 200), WIDE.slice(0, 200));
    const more = {
      host: WIDE.slice(0, 200),
      user: WIDE.slice(0, 200),
      cwd: `/${WIDE}`,
      environment: [{ name: WIDE, value: WIDE }],
      argv: [WIDE],
    };
    const open = await server.pending(agent, `npm run ${WIDE}`, more);
    const standing = await server.pending(agent, `echo ${WIDE}`, more);
    await server.decide(await server.owner(), standing.id, 'approve', { version: 1, term: { kind: 'always' } });
    const body = {
      name: WIDE.slice(0, 200),
      host: WIDE.slice(0, 200),
      user: 'u',
      publicKey: 'C'.repeat(43),
      role: 'requester',
    };
    const asked = await server.call<{ enrolmentId: string }>('POST', '/v1/enrolments', {}, body);
    const link = await server.ownerLink();
    const places = [
      '/',
      `/grants/${open.id}`,
      '/standing',
      '/history',
      `/enrolments/${asked.body.enrolmentId}`,
      `/sign-in/${link}`,
      '/sign-in/x',
      '/grants/g_none',
    ];
    for (const place of places) {
      await page.goto(server.url + place);
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      const sideways = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([place, sideways]).toEqual([place, 0]);
      const heights = await page
        .locator('button:visible, summary:visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(Math.min(44, ...heights)).toBeGreaterThanOrEqual(44);
    }
    await scene.close();
  });

  it('has enough contrast in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const scene = await openScene(browser, { colorScheme });
      const { server, page, agent } = scene;
      const grant = await server.pending(agent, 'npm run \u202e test');
      await page.goto(grant.url);
      const faint = await page.evaluate(FAINT);
      expect(faint).toEqual([]);
      await scene.close();
    }
  });
});
