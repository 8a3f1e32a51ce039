/** Every page fits a phone, has buttons that a thumb can hit, and enough contrast. */
import { describe, expect, it } from 'vitest';
import { newKey } from '../component/server-fixture.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { browserOfFile, openScene } from './browser-fixture.ts';
import { FAINT } from './contrast.ts';

const browser = browserOfFile();

const WIDE = 'w'.repeat(300);

/** Returns the texts of summaries whose first line is below the mark ▸, and not beside it. */
const BELOW_ITS_MARK = `[...document.querySelectorAll('main summary')].flatMap((summary) => {
  const text = document.createRange();
  text.selectNodeContents(summary);
  const [first] = text.getClientRects();
  return first === undefined || first.top - summary.getBoundingClientRect().top < 18 ? [] : summary.textContent;
})`;

/** How far the middle of each circle or box is from the middle of the first line of its text, in px. */
const OFF_FIRST_LINE = `[...document.querySelectorAll('.choice > input')].filter((each) => each.checkVisibility()).map((input) => {
  const { top, height } = input.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(input.nextElementSibling);
  const [first] = range.getClientRects();
  return Math.abs(top + height / 2 - first.top - first.height / 2);
})`;

it('on a phone, a choice is marked beside the first line of its text, and no Revoke covers the line that it is for', async () => {
  const scene = await openScene(browser(), { rules: allRules });
  const { server, page, agent } = scene;
  const grant = await pendingLine(server, agent, 'git log -3');
  await page.goto(grant.url);
  await page.getByText('Longer or wider').click();
  const off = await page.evaluate<number[]>(OFF_FIRST_LINE);
  expect(off.length).toBeGreaterThan(0);
  expect(Math.max(...off)).toBeLessThan(6);
  const owner = await server.owner();
  for (const text of ['true a', 'true b', 'true c', 'true d']) {
    const standing = await server.pending(agent, text);
    await server.decide(owner, standing.id, 'approve', { version: 1, term: { kind: 'always' } });
  }
  await page.goto(`${server.url}/standing`);
  await page.getByRole('button', { name: 'Revoke' }).nth(3).waitFor();
  for (let y = 0; y < 1_200; y += 60) {
    await page.evaluate(`scrollTo(0, ${y})`);
    const covered = await page.evaluate(
      "[...document.querySelectorAll('.card')].filter((card) => card.querySelector('.actions').getBoundingClientRect().top < card.querySelector('.content').getBoundingClientRect().bottom).length",
    );
    expect([y, covered]).toEqual([y, 0]);
  }
  await scene.close();
});

describe('every page', () => {
  it('fits 360 px without scrolling sideways, with buttons a thumb can hit', async () => {
    const scene = await openScene(browser());
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
      publicKey: newKey().publicKey,
    };
    const { enrolmentId } = await server.enrolling(body);
    const withoutCode = await server.asksForEnrolment({ ...body, publicKey: newKey().publicKey });
    const link = await server.ownerLink();
    const places = [
      '/',
      `/grants/${open.id}`,
      '/standing',
      '/history',
      '/rules',
      `/enrolments/${enrolmentId}`,
      `/enrolments/${withoutCode.body.enrolmentId}`,
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
      expect([place, await page.evaluate(BELOW_ITS_MARK)]).toEqual([place, []]);
    }
    await scene.close();
  });

  it('has enough contrast in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const scene = await openScene(browser(), { colorScheme });
      const { server, page, agent } = scene;
      const grant = await server.pending(agent, 'npm run \u202e test');
      await page.goto(grant.url);
      const faint = await page.evaluate(FAINT);
      expect(faint).toEqual([]);
      await scene.close();
    }
  });
});
