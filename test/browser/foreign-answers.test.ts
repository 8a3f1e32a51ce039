/** If no answer of the server comes to a change, but one of a proxy, or none, each page says that it is not known whether the change was made. */
import type { Page, Route } from 'playwright-core';
import { describe, it } from 'vitest';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { INTERCEPTED, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { ...INTERCEPTED, rules: allRules },
);

const NOT_KNOWN =
  'No answer of the server came, so it is not known whether this was done. Reload the page, and look before you repeat it.';
const OWN = { 'ape-api': '1' };
const FAULT = { error: { code: 'server.fault', message: 'something is wrong here' } };
type Answer = Parameters<Route['fulfill']>[0] | 'none';
const FAULTS: readonly (readonly [string, Answer, string])[] = [
  ['no answer', 'none', NOT_KNOWN],
  ['an error page of a proxy', { status: 502, contentType: 'text/html', body: '<p>Bad gateway' }, NOT_KNOWN],
  ['a page of a proxy', { status: 200, contentType: 'text/html', body: '<p>Accept our terms' }, NOT_KNOWN],
  ['an empty answer of a proxy', { status: 204 }, NOT_KNOWN],
  ['a refusal of a proxy', { status: 403, json: { error: { message: 'blocked' } } }, NOT_KNOWN],
  ['JSON of a proxy', { status: 200, json: { ok: true } }, NOT_KNOWN],
  ['a cut answer', { status: 200, headers: OWN, body: '{"id":' }, NOT_KNOWN],
  [
    'an error of the server itself',
    { status: 500, headers: OWN, json: FAULT },
    'Not done, or not known: something is wrong here. Reload the page, and look before you repeat it.',
  ],
];

async function broken(page: Page, path: string, answer: Answer): Promise<void> {
  await page.route(path, (route) => (answer === 'none' ? route.abort() : route.fulfill(answer)));
}

describe.each(FAULTS)('%s', (_what, answer, sentence) => {
  it('to an approval, a pause, and the approval of a group', async () => {
    const { page, server, agent } = scene;
    const grant = await pendingLine(server, agent, 'ls src');
    await broken(page, '**/approve', answer);
    await page.goto(grant.url);
    await settle(page);
    await page.getByRole('button', { name: 'Approve once', exact: true }).click();
    await page.locator('.card .message').getByText(sentence, { exact: true }).waitFor();

    await broken(page, '**/pause', answer);
    await page.goto(`${server.url}/requesters`);
    await settle(page);
    await page.locator('[data-requester="pause"]').first().click();
    await page.locator('.card .message').getByText(sentence, { exact: true }).waitFor();

    await pendingLine(server, agent, 'touch a');
    await pendingLine(server, agent, 'touch b');
    await broken(page, '**/v1/approvals', answer);
    await page.goto(`${server.url}/`);
    const group = page.locator('.group');
    await group.locator('summary').click();
    await settle(page);
    await group.getByRole('button', { name: 'Approve all 2 once' }).click();
    await group.locator('.message').getByText(sentence, { exact: true }).waitFor();
  });

  it('to new codes, an invitation, and preferences for notifications', async () => {
    const { page, server } = scene;
    await broken(page, '**/v1/recovery-codes', answer);
    await page.goto(`${server.url}/devices`);
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    await page.locator('[data-passkey="codes"]').click();
    await page.locator('.message').getByText(sentence, { exact: true }).waitFor();

    await broken(page, '**/v1/people', answer);
    await page.goto(`${server.url}/people`);
    await page.getByLabel('Name of another person').fill('Grace');
    await page.getByRole('button', { name: 'Make an invitation' }).click();
    await page.locator('.message').getByText(sentence, { exact: true }).waitFor();

    await broken(page, '**/v1/notifications/preferences', answer);
    await page.goto(`${server.url}/notifications`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.message').getByText(sentence, { exact: true }).waitFor();
  });
});
