/** Plays a hand on the page: it scrolls until it sees an element, taps it, and counts taps and scrolls. */
import type { Locator, Page } from 'playwright-core';

/** Whether the middle of the element is on the screen, and no other element covers it. */
const isSeen = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const over = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
    return over !== null && (element === over || element.contains(over));
  });

/** A swipe moves less than a screen, so that no element is skipped. */
const SWIPE = 0.8;
const MAX_SWIPES = 30;

export class Hand {
  readonly page: Page;
  taps = 0;
  scrolls = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async tap(target: Locator): Promise<void> {
    await target.waitFor();
    while (!(await isSeen(target))) {
      if (++this.scrolls > MAX_SWIPES)
        throw new Error('the element is never on the screen, however far the hand scrolls');
      await this.swipe();
    }
    this.taps += 1;
    const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await this.page.mouse.click(x + width / 2, y + height / 2);
  }

  private swipe(): Promise<unknown> {
    return this.page.evaluate(`new Promise((resolve) => {
      scrollBy({ top: innerHeight * ${SWIPE}, behavior: 'instant' });
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    })`);
  }
}
