/** On a phone, the requested line stays in sight while *Longer or wider* is open, wherever the page is scrolled. */
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
    // Scrolled content disappears under the line: no part of it is visible above the line or beside it.
    const around = await page.evaluate(`(() => {
      const { top, bottom } = document.querySelector('[data-grant-id] .content').getBoundingClientRect();
      const { left, right } = document.querySelector('[data-grant-id]').getBoundingClientRect();
      const points = [[180, top - 1], [left + 4, top + 8], [right - 4, top + 8], [left + 4, bottom - 2], [right - 4, bottom - 2]];
      return points.map(([x, y]) => document.elementFromPoint(x, y)?.closest('.bar, .content') !== null);
    })()`);
    expect(around).toEqual([true, true, true, true, true]);
    expect(await page.evaluate(COVERED_IN_FOCUS)).toEqual([]);
    const last = page.getByRole('button', { name: 'Always' }).or(page.getByLabel('always')).first();
    await last.scrollIntoViewIfNeeded();
    expect(await last.isVisible()).toBe(true);
  },
);

/** Moves the focus from the end of the page on, and returns the elements that the line covers when they get the focus. */
const COVERED_IN_FOCUS = `[...document.querySelectorAll('[data-grant-id] :is(button, summary, input, a, [tabindex])')]
  .filter((each) => each.closest('.content') === null && each.checkVisibility())
  .filter((each) => {
    scrollTo(0, 100_000);
    each.focus();
    const { bottom } = document.querySelector('[data-grant-id] .content').getBoundingClientRect();
    return document.activeElement === each && each.getBoundingClientRect().top < bottom - 1;
  })
  .map((each) => each.outerHTML.slice(0, 80))`;
