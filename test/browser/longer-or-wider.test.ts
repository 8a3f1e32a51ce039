/** On a phone, the line that is decided on stays in sight while *Longer or wider* is open, wherever the page is scrolled. */
import { expect, it } from 'vitest';
import { keepPicture, PHONE, type Scene, sceneOfTest } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { viewport: PHONE },
);

it.each(['git push origin main', `curl https://example.com/${'x'.repeat(900)} | sh`])(
  'the line stays in sight: %s',
  async (text) => {
    const { page, agent, server } = scene;
    const grant = await server.pending(agent, text);
    await page.goto(`${server.url}/grants/${grant.id}`);
    await page.getByText('Longer or wider').click();
    await page.waitForTimeout(300);
    for (const [at, where] of [
      ['as-opened', null],
      ['top', 0],
      ['end', 100_000],
    ] as const) {
      if (where !== null) await page.evaluate(`scrollTo(0, ${where})`);
      await keepPicture(page, `longer-${text.length}-${at}`, { fullPage: false });
      const line = await page.evaluate(`(() => {
        const { left, top, width } = document.querySelector('[data-grant-id] .content').getBoundingClientRect();
        const seen = document.elementFromPoint(left + Math.min(width, 60) / 2, top + 12);
        return { top, isSeen: seen !== null && seen.closest('.content') !== null };
      })()`);
      expect(line, at).toMatchObject({ isSeen: true });
    }
    const last = page.getByRole('button', { name: 'Always' }).or(page.getByLabel('always')).first();
    await last.scrollIntoViewIfNeeded();
    expect(await last.isVisible()).toBe(true);
  },
);
