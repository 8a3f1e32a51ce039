/**
 * Measures the time from the tap on a link to the first text, and to the button of the card, in Chromium with its processor slowed
 * down four times, as on a cheap phone.
 */
import { chromium } from 'playwright-core';
import { percentile } from './measure.mjs';
import { APE_SHELL, APES, Stage } from './stage.mjs';
import { ms, row } from './table.mjs';

const SLOWDOWN = 4;
const TARGET_MS = 1_000;
const WAITING = [1, 50];
const PHONE = { width: 360, height: 740 };

/** Runs in the page, before its own scripts: notes the first frame in which the top edge of the button is on the screen. */
const WATCH = `(() => {
  const look = () => {
    const button = document.querySelector('.decide button, .brief a');
    const { top = -1, bottom = 0 } = button?.getBoundingClientRect() ?? {};
    if (top >= 0 && bottom > 0 && top < innerHeight) requestAnimationFrame(() => { window.seenAtMs = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

export async function benchFirstCard({ runs }) {
  const stage = new Stage();
  const executablePath = process.env.APE_TEST_CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  const rounds = Math.max(3, Math.round(runs / 6));
  try {
    const url = stage.url();
    for (const waiting of WAITING) {
      for (let at = stage.inbox().length; at < waiting; at++)
        stage.run(APE_SHELL, ['-c', at === 0 ? 'ls -la src' : `./tool-${at} --all`], { statuses: [75] });
      const [first] = stage.inbox();
      const pages = { inbox: `${url}/`, card: `${url}/grants/${first.id}` };
      for (const [name, address] of Object.entries(pages)) {
        const cold = [];
        const warm = [];
        for (let round = 0; round < rounds; round++) await visit(browser, stage, address, { cold, warm });
        printRow(`${name} of ${waiting} waiting, cold cache`, cold);
        printRow(`${name} of ${waiting} waiting, warm cache`, warm);
      }
    }
  } finally {
    await browser.close();
    stage.close();
  }
}

/** Opens the page twice: in a new browser context, which has nothing cached, and then once more. */
async function visit(browser, stage, address, { cold, warm }) {
  const context = await browser.newContext({ viewport: PHONE });
  try {
    const page = await context.newPage();
    const { signInUrl } = JSON.parse(stage.run(APES, ['up', '--json'])).data;
    await page.goto(signInUrl);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((to) => to.pathname === '/');
    const devtools = await context.newCDPSession(page);
    await page.goto('about:blank');
    await devtools.send('Network.clearBrowserCache');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.addInitScript(WATCH);
    cold.push(await paint(page, address));
    warm.push(await paint(page, address));
  } finally {
    await context.close();
  }
}

/** @returns {Promise<{ text: number, button: number }>} ms from the start of the navigation */
async function paint(page, address) {
  await page.goto('about:blank');
  await page.goto(address);
  await page.waitForFunction('window.seenAtMs !== undefined');
  return page.evaluate(
    `({ text: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? window.seenAtMs, button: window.seenAtMs })`,
  );
}

function printRow(what, samples) {
  const buttons = samples.map(({ button }) => button);
  const texts = samples.map(({ text }) => text);
  const slowest = percentile(buttons, 1);
  row(
    what,
    `p50 ${ms(percentile(buttons, 0.5))}, slowest ${ms(slowest)}`,
    `first text p50 ${ms(percentile(texts, 0.5))}; ${samples.length} visits, processor ${SLOWDOWN} times slower`,
    [percentile(buttons, 0.5) < TARGET_MS, `p50 < ${TARGET_MS} ms`],
  );
}
