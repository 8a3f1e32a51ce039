/** Requests of one kind and one risk, which the inbox shows as one entry, a group. They are decided together. */
import { expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { newAuthenticator } from './authenticator.ts';
import { INTERCEPTED, type Scene, sceneOfTest, settle } from './browser-fixture.ts';
import { pendingCall, pendingWrite } from './typical-requests.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { ...INTERCEPTED, rules: allRules },
);

const file = async (...lines: readonly string[]): Promise<readonly GrantView[]> => {
  const filed: GrantView[] = [];
  for (const line of lines) filed.push(await pendingLine(scene.server, scene.agent, line));
  return filed;
};

const stored = async ({ id }: GrantView) =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;

/** Opens the inbox with the one group that it has. */
async function openGroup(at = scene.server.url) {
  await scene.page.goto(`${at}/`);
  const group = scene.page.locator('.group');
  await group.locator('> details > summary').click();
  await settle(scene.page);
  return group;
}

it('three are approved together, each once and each by its own decision', async () => {
  const filed = await file('touch a', 'touch b', 'touch c');
  const group = await openGroup();
  expect(await group.locator('.pair').innerText()).toMatch(/Approve all 3 once\s+not sealed$/);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  await expect.poll(() => group.getByRole('button').count()).toBe(0);
  expect(await group.getByText('not sealed').isVisible()).toBe(false);
  expect(await group.locator('.message').textContent()).toBe('');
  for (const grant of filed) expect(await stored(grant)).toMatchObject({ state: 'approved', term: { kind: 'once' } });
});

it('three are denied together; one that was decided meanwhile is left as it is, and the group says so', async () => {
  const filed = await file('touch a', 'touch b', 'touch c');
  await scene.page.route('**/v1/events*', (route) => route.abort()); // this page hears of no decision
  const group = await openGroup();
  const [first, ...others] = filed as readonly [GrantView, ...GrantView[]];
  await scene.server.decide(await scene.server.owner(), first.id, 'approve', { version: 1, term: { kind: 'once' } });
  await group.getByRole('button', { name: 'Deny all 3' }).click();
  await group.getByText('1 of them were not decided: open each to see why.').waitFor();
  expect((await stored(first)).state).toBe('approved');
  for (const grant of others) expect((await stored(grant)).state).toBe('denied');
});

it('only the shown requests are decided, not withdrawn or new ones, and the buttons count the requests that still wait', async () => {
  const [first, ...others] = (await file('touch a', 'touch b', 'touch c')) as readonly [GrantView, ...GrantView[]];
  const group = await openGroup();
  await scene.server.call('POST', `/v1/grants/${first.id}/withdraw`, scene.agent.headers);
  await group.locator('.brief[data-state="withdrawn"]').waitFor();
  const [late] = (await file('touch d')) as readonly [GrantView];
  await scene.page.locator(`[data-cards] > [data-grant-id="${late.id}"]`).waitFor();
  expect(await group.getByRole('button').allInnerTexts()).toEqual(['Deny all 2', 'Approve all 2 once']);
  await settle(scene.page);
  await group.getByRole('button', { name: 'Approve all 2 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(2);
  for (const grant of others) expect((await stored(grant)).state).toBe('approved');
  expect([(await stored(first)).state, (await stored(late)).state]).toEqual(['withdrawn', 'pending']);
});

it('if the server does not approve a group together, the page does not approve its requests one by one', async () => {
  const filed = await file('touch a', 'touch b');
  const group = await openGroup();
  // As after a start of the server with other rule files, by which one of the requests has another risk.
  await scene.page.route('**/v1/approvals', (route) =>
    route.fulfill({
      status: 422,
      headers: { 'ape-api': '1' }, // as an answer of the server
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'batch.unfit', message: 'these requests are not of one group' } }),
    }),
  );
  await group.getByRole('button', { name: 'Approve all 2 once' }).click();
  await group.getByText('Not done: these requests are not of one group.').waitFor();
  for (const grant of filed) expect((await stored(grant)).state).toBe('pending');
});

it('two requests are a group, one is not', async () => {
  await file('touch a');
  await scene.page.goto(`${scene.server.url}/`);
  await scene.page.locator('.brief').waitFor();
  expect(await scene.page.locator('.group').count()).toBe(0);
  const [second] = (await file('touch b')) as readonly [GrantView];
  const group = await openGroup();
  await group.getByRole('button', { name: 'Approve all 2 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(2);
  expect(await stored(second)).toMatchObject({ state: 'approved', term: { kind: 'once' } });
});

it('one prompt for a passkey confirms a whole group and leaves no message; a cancelled prompt decides nothing', async () => {
  const { page, server } = scene;
  const address = server.url.replace('127.0.0.1', 'localhost');
  const { cdp, authenticatorId } = await newAuthenticator(page);
  const asserted: unknown[] = [];
  cdp.on('WebAuthn.credentialAsserted', (event) => asserted.push(event));
  await page.goto(`${address}/sign-in/${await server.ownerLink()}`);
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.getByRole('button', { name: 'Register this device' }).click();
  await page.waitForURL('**/devices?after=registered');
  const filed = await file('touch a', 'touch b', 'touch c');
  const group = await openGroup(address);
  const message = group.locator('.message');

  await page.route('**/v1/approvals', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/"timeoutMs":\d+/, '"timeoutMs":1000'),
    });
  });
  const present = (enabled: boolean) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  await present(false);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await message.getByText('Confirm with your passkey').waitFor();
  await message.getByText('You cancelled, or the prompt timed out.').waitFor();
  for (const grant of filed) expect((await stored(grant)).state).toBe('pending');

  await present(true);
  await settle(page);
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  await expect.poll(() => message.textContent()).toBe('');
  expect(asserted).toHaveLength(1);
});

it('requests of different risks are never in one group, and requests that need a number are not approved together', async () => {
  await file(
    ...['touch a', 'touch b', 'touch c'],
    ...['rm -rf a', 'rm -rf b', 'rm -rf c'],
    ...['rm x', 'rm y', 'rm -r z'],
    ...['cat a', 'cat b', 'cat c', 'cat /etc/shadow', 'cat ~/.ssh/id_ed25519'],
    ...['unheard-of 1', 'unheard-of 2', 'unheard-of 3'],
  );
  await scene.page.goto(`${scene.server.url}/`);
  const groups = scene.page.locator('.group');
  const risks = await scene.page.evaluate<string[][]>(
    "[...document.querySelectorAll('.group')].map((group) => [...new Set([...group.querySelectorAll('.brief')].map(({ dataset }) => dataset.risk))])",
  );
  expect(risks.length).toBeGreaterThanOrEqual(3);
  for (const [at, each] of risks.entries()) {
    expect(each).toHaveLength(1);
    const offered = await groups.nth(at).locator('[data-all="approve"]').count();
    expect([each, offered]).toEqual([each, each[0] === 'low' || each[0] === 'medium' ? 1 : 0]);
  }
  expect(new Set(risks.flat()).size).toBeGreaterThanOrEqual(3);
});

const diffTo = (text: string) => `@@ -1 +1 @@\n-a\n+${text}\n`;

it('writes to files are a group that shows the text of each write; a long write is decided alone', async () => {
  const { server, agent, page } = scene;
  const names = ['one', 'two', 'three'];
  const filed: GrantView[] = [];
  for (const name of names) filed.push(await pendingWrite(server, agent, `${name}.ts`, diffTo(`export ${name}`)));
  const long = await pendingWrite(server, agent, 'long.ts', diffTo('x\n+'.repeat(40)));
  await page.goto(`${server.url}/`);
  const group = page.locator('.group');
  expect(await group.count()).toBe(1);
  expect(await page.locator('.briefs[data-cards] > .brief').getAttribute('data-grant-id')).toBe(long.id);
  expect(await page.locator('.whole').first().isVisible()).toBe(false);
  await group.locator('> details > summary').click();
  await settle(page);
  for (const [at, name] of names.entries()) {
    const row = group.locator('.brief').nth(at);
    expect(await row.locator('.file .path').innerText()).toMatch(new RegExp(`/src/${name}\\.ts$`));
    expect(await row.locator('.plus').innerText()).toBe(`+export ${name}`);
    expect(await row.locator('.diff').isVisible()).toBe(true);
  }
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  for (const grant of filed) expect(await stored(grant)).toMatchObject({ state: 'approved', term: { kind: 'once' } });
  expect((await stored(long)).state).toBe('pending');
});

it('calls of one tool are a group that shows the arguments of each; without a rule for the tool they can only be denied together', async () => {
  const { server, agent } = scene;
  const filed = [
    await pendingCall(server, agent, { title: 'first', body: 'one' }),
    await pendingCall(server, agent, { title: 'second', body: 'two' }),
  ];
  await pendingCall(server, agent, { title: 'third' }, 'delete_repository');
  const group = await openGroup();
  expect(await group.locator('.brief').count()).toBe(2);
  expect(await group.locator('.brief').first().locator('pre').innerText()).toContain('"title": "first"');
  expect(await group.getByRole('button', { name: /Approve/ }).count()).toBe(0);
  await group.getByRole('button', { name: 'Deny all 2' }).click();
  await expect.poll(() => group.locator('.brief[data-state="denied"]').count()).toBe(2);
  for (const grant of filed) expect((await stored(grant)).state).toBe('denied');
});
