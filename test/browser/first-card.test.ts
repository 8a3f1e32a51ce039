/**
 * The first card is painted in less than a second in Chromium with its processor slowed down four times, as on a cheap phone.
 * `node scripts/bench/bench.mjs --only first-card` measures how long it takes.
 */
import { expect, it } from 'vitest';
import { type Scene, sceneOfTest } from './browser-fixture.ts';

const SLOWDOWN = 4;
const AIM_MS = 1_000;
const WAITING = 50;
/** The number of visits, of which one has to be below the aim. Other work on the machine can only make a visit longer. */
const MAX_VISITS = 20;

/** Runs in the page, before its own scripts: notes the first frame in which a button or link of a card is on the screen. */
const WATCH = `(() => {
  const look = () => {
    const { top = -1, bottom = 0 } = document.querySelector('.decide button, .brief a')?.getBoundingClientRect() ?? {};
    if (top >= 0 && bottom > 0 && top < innerHeight) requestAnimationFrame(() => { window.seenAtMs = performance.now(); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

let scene: Scene;
sceneOfTest((opened) => {
  scene = opened;
});

it.each(['the inbox', 'the card'])('%s is painted in time with an empty cache', async (what) => {
  const { page, context, server, agent } = scene;
  let address = `${server.url}/`;
  for (let at = 0; at < WAITING; at += 1) {
    const { id } = await server.pending(agent, at === 0 ? 'ls -la src' : `./tool-${at} --all`);
    if (at === 0 && what === 'the card') address = `${server.url}/grants/${id}`;
  }
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setBypassServiceWorker', { bypass: true });
  await page.addInitScript(WATCH);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const visits: number[] = [];
  while (visits.length < MAX_VISITS && !visits.some((tookMs) => tookMs < AIM_MS)) {
    await page.goto('about:blank');
    await devtools.send('Network.clearBrowserCache');
    await page.goto(address);
    await page.waitForFunction('window.seenAtMs !== undefined');
    visits.push(await page.evaluate<number>('window.seenAtMs'));
  }
  console.log(`${what}: ${visits.map(Math.round).join(', ')} ms`);
  expect(Math.min(...visits)).toBeLessThan(AIM_MS);
});
