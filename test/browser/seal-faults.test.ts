/** If the server cannot send the document that a passkey has to sign, the page sends no unsealed decision, and says that nothing is decided. */
import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { PolicyView } from '../../src/core/wire/policy.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { card, INTERCEPTED, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { ...INTERCEPTED, rules: allRules },
);

const NO_DOCUMENT = 'The server gave nothing that your passkey could sign. Nothing was done; try again.';
const OWN = { 'ape-api': '1' };
const FAULT = { error: { code: 'server.fault', message: 'something is wrong here' } };
type Answer = Parameters<Route['fulfill']>[0] | 'none';
const FAULTS: readonly (readonly [string, Answer, string])[] = [
  ['no answer', 'none', NO_DOCUMENT],
  ['the page of a proxy', { status: 502, contentType: 'text/html', body: '<p>Bad gateway' }, NO_DOCUMENT],
  ['an answer without a document', { status: 200, headers: OWN, json: {} }, NO_DOCUMENT],
  ['an answer that is not an object', { status: 200, headers: OWN, json: null }, NO_DOCUMENT],
  ['an error', { status: 422, headers: OWN, json: FAULT }, 'Not done: something is wrong here.'],
];

/** Breaks one path. Returns a function that restores it. */
async function broken(path: string, answer: Answer) {
  await scene.page.route(path, (route) => (answer === 'none' ? route.abort() : route.fulfill(answer)));
  return () => scene.page.unroute(path);
}

const stateOf = async ({ id }: GrantView) =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body.state;

describe.each(FAULTS)('%s in place of the document', (_what, answer, sentence) => {
  it('decides no request: not by its card, not in a group', async () => {
    const { page, server, agent } = scene;
    const grant = await pendingLine(server, agent, 'ls src');
    const mendOne = await broken('**/approval-document', answer);
    await page.goto(grant.url);
    await settle(page);
    const shown = card(page, grant.id);
    await shown.getByRole('button', { name: 'Approve once', exact: true }).click();
    await shown.locator('.message').getByText(sentence).waitFor();
    expect(await stateOf(grant)).toBe('pending');
    await mendOne();
    await shown.getByRole('button', { name: 'Approve once', exact: true }).click();
    await expect.poll(() => stateOf(grant)).toBe('approved');

    const some = [await pendingLine(server, agent, 'touch a'), await pendingLine(server, agent, 'touch b')];
    const mendGroup = await broken('**/v1/approvals/document', answer);
    await page.goto(`${server.url}/`);
    const group = page.locator('.group');
    await group.locator('summary').click();
    await settle(page);
    await group.getByRole('button', { name: 'Approve all 2 once' }).click();
    await group.locator('.message').getByText(sentence).waitFor();
    for (const each of some) expect(await stateOf(each)).toBe('pending');
    await mendGroup();
    await group.getByRole('button', { name: 'Approve all 2 once' }).click();
    for (const each of some) await expect.poll(() => stateOf(each)).toBe('approved');
  });

  it('does not switch on a policy for reading', async () => {
    const { page, server, agent } = scene;
    await pendingLine(server, agent, 'ls src');
    await broken('**/v1/policies/document', answer);
    await page.goto(`${server.url}/rules`);
    const reading = page.locator('.reading-policy');
    await reading.getByRole('checkbox').check();
    await reading.getByRole('button', { name: 'Let reading there run without asking' }).click();
    await reading.locator('.message').getByText(sentence).waitFor();
    const { body } = await server.call<{ policies: PolicyView[] }>('GET', '/v1/policies', await server.owner());
    expect(body.policies).toEqual([]);
  });
});
