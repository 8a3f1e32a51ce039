/** An agent behind a real `apes acp`, and its approver's phone: what the card shows, and which answer the agent gets. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACP_AGENT, AcpEditor, inInbox, permission } from '../scenario/acp-editor.ts';
import { GatedStage } from '../security/gated-stage.ts';
import { card, keepPicture, openBrowser, PHONE, settle } from './browser-fixture.ts';

const stage = new GatedStage();
let browser: Browser;
let context: BrowserContext;
let page: Page;
let editor: AcpEditor;
let log: string;

beforeAll(async () => {
  [browser] = await Promise.all([openBrowser(), stage.open()]);
});
afterAll(async () => {
  await browser.close();
  stage.close();
});
beforeEach(async () => {
  log = join(stage.scratch, `answers-${Math.random()}`);
  writeFileSync(log, '');
  editor = await AcpEditor.start(stage, ['node', ACP_AGENT, log]);
  const link = /https?:\S+/.exec((await stage.run('apes owner link')).out)?.[0] ?? '';
  context = await browser.newContext({ viewport: PHONE });
  page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/');
});
afterEach(async () => {
  await context.close();
  await editor.close();
});

/** Opens the request with this text from the inbox, as an approver does. */
async function openFromInbox(text: string): Promise<string> {
  const id = await inInbox(stage, text);
  await page.locator(`a[href$="/grants/${id}"]`).first().click();
  await card(page, id).locator('.decide').waitFor();
  await settle(page);
  return id;
}

const answered = () => readFileSync(log, 'utf8').trim();

describe('the card of a tool call of an agent', () => {
  it('shows who describes the call and all that the agent sent, and offers no wider scope; an approval selects the option of the agent that allows the call once', async () => {
    const over = editor.ask(permission('push <b>origin</b>'));
    const id = await openFromInbox('push <b>origin</b>');
    const shown = card(page, id);
    expect(await shown.locator('.meta').innerText()).toContain('Tool call of an agent (Agent Client Protocol)');
    expect(await shown.locator('.command').innerText()).toContain('"command": "push <b>origin</b>"');
    expect(await shown.getByText('An agent that does not ask is not stopped.').isVisible()).toBe(true);
    expect(await shown.locator('b').count()).toBe(0);
    expect(await shown.locator('.longer .terms').count()).toBe(1);
    expect(await shown.locator('.longer .scope').count()).toBe(0);
    await keepPicture(page, 'acp-card', { fullPage: false });
    expect(answered()).toBe('');
    const number = await editor.untilUpdate(/the approver picks (\d\d)/);
    await shown.getByRole('button', { name: number, exact: true }).click();
    expect(await over).toBe('end_turn');
    expect(answered()).toBe('{"outcome":{"outcome":"selected","optionId":"once"}}');
  });

  it('can be denied on the phone: the agent gets its option to reject, and the editor the reason', async () => {
    const over = editor.ask(permission('denied there'));
    const id = await openFromInbox('denied there');
    await card(page, id).getByRole('button', { name: 'Deny', exact: true }).click();
    await over;
    expect(answered()).toContain('"optionId":"no"');
    await editor.untilUpdate(new RegExp(`NOT RUN: refused: denied \\(grant ${id}\\)`));
  });
});
