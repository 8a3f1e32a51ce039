/** The card of a file operation: what it shows, and how the approver chooses how far the approval reaches. */
import { describe, expect, it } from 'vitest';
import type { FileOperation } from '../../src/core/files/file-operation.ts';
import type { ExecutionRequest } from '../../src/core/grant/request.ts';
import { visibleLine } from '../../src/core/text/visible-text.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { approveOn, card, openGrant, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest((opened) => {
  scene = opened;
});

const PROJECT = '/home/agent/shop';
const operation = (path: string, more: Partial<FileOperation> = {}): FileOperation => ({
  verb: 'write',
  path,
  askedPath: path,
  digest: 'a'.repeat(64),
  resultDigest: null,
  bytes: 1234,
  danger: null,
  ...more,
});
const asRequest = (...files: readonly FileOperation[]): Partial<ExecutionRequest> => ({
  kind: 'file',
  cwd: PROJECT,
  files,
});
const DIFF = '@@ -1,2 +1,2 @@\n export const a = 1;\n-export const b = 2;\n+export const b = "<b>\u202e";\n';
const textOf = (files: readonly FileOperation[], body: string): string =>
  `${files.map(({ verb, path }) => `${verb} ${visibleLine(path)}`).join('\n')}\n${body}`;
const ask = (files: readonly FileOperation[], body = DIFF): Promise<GrantView> =>
  scene.server.pending(scene.agent, textOf(files, body), asRequest(...files));
const askAgain = (files: readonly FileOperation[]) =>
  scene.server.ask(scene.agent, textOf(files, DIFF), asRequest(...files));
const stored = async (id: string): Promise<GrantView> =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;
const state = (id: string) => card(scene.page, id).locator('.badge');
const button = (id: string, name: string) => card(scene.page, id).getByRole('button', { name, exact: true });
const choice = (id: string, name: string | RegExp) => card(scene.page, id).getByRole('radio', { name });

describe('the card of a file operation', () => {
  it('shows operation, path, size, where a link leads, and the diff; nothing in them acts', async () => {
    const files = [operation(`${PROJECT}/src/a\u202e.ts`, { verb: 'edit', askedPath: '/tmp/link<i>' })];
    const grant = await ask(files);
    await openGrant(scene.page, grant);
    const shown = card(scene.page, grant.id);
    expect(await shown.locator('.file .verb').innerText()).toBe('Edit');
    expect(await shown.locator('.file .path').innerText()).toBe(`${PROJECT}/src/a\\u{202e}.ts`);
    expect(await shown.locator('.file .bytes').innerText()).toBe('1.2 kB');
    expect(await shown.locator('.resolved').innerText()).toBe(`asked as /tmp/link<i>, is ${PROJECT}/src/a\\u{202e}.ts`);
    expect(await shown.locator('.diff .minus').innerText()).toBe('-export const b = 2;');
    expect(await shown.locator('.diff .plus').innerText()).toBe('+export const b = "<b>\\u{202e}";');
    expect(await shown.locator('pre').innerText()).not.toContain('edit /home');
    expect(await shown.locator('.danger').count()).toBe(0);
  });

  it('says whether a file is new or replaced', async () => {
    const path = `${PROJECT}/new.ts`;
    const text = `write ${path} (new file, writes 2 bytes)\n+x\n`;
    const grant = await scene.server.pending(scene.agent, text, asRequest(operation(path)));
    await openGrant(scene.page, grant);
    expect(await card(scene.page, grant.id).locator('.file .bytes').innerText()).toBe('new file, writes 2 bytes');
    expect((await card(scene.page, grant.id).locator('pre').innerText()).trim()).toBe('+x');
  });

  it('shows the whole text when it does not repeat the operations', async () => {
    const files = [operation(`${PROJECT}/a`)];
    const grant = await scene.server.pending(scene.agent, 'write /elsewhere\n+x\n', asRequest(...files));
    await openGrant(scene.page, grant);
    expect(await card(scene.page, grant.id).locator('pre').innerText()).toContain('write /elsewhere');
  });

  it('lists every operation of a patch, and keeps a path with a line break in one line', async () => {
    const files = [operation(`${PROJECT}/a`), operation(`${PROJECT}/b\ndelete /etc/passwd`, { verb: 'edit' })];
    const grant = await ask(files);
    await openGrant(scene.page, grant);
    const rows = card(scene.page, grant.id).locator('.file');
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(1).locator('.path').innerText()).toBe(`${PROJECT}/b↵ delete /etc/passwd`);
  });

  it('warns of a sensitive path, and offers no directory for it', async () => {
    const grants = [
      await ask([operation(`${PROJECT}/.claude/settings.json`)]),
      await ask([operation('/opt/apes/keys/owner.key', { danger: 'own-installation' })]),
    ];
    for (const [index, reason] of ['they can switch the gate off', 'belongs to ape-shell itself'].entries()) {
      const grant = grants[index];
      if (grant === undefined) throw new Error('none');
      await openGrant(scene.page, grant);
      expect(await card(scene.page, grant.id).locator('.danger').innerText()).toContain(reason);
      expect(await card(scene.page, grant.id).locator('.scope').count()).toBe(0);
    }
    await approveOn(scene, grants[1]?.id ?? '', 'Approve once');
    await expect.poll(async () => (await stored(grants[1]?.id ?? '')).state).toBe('approved');
  });

  it('approves exactly this unless a directory is chosen', async () => {
    const grant = await ask([operation(`${PROJECT}/src/a.ts`)]);
    await openGrant(scene.page, grant);
    expect(await choice(grant.id, 'exactly this').isChecked()).toBe(true);
    await approveOn(scene, grant.id, '15 min');
    await state(grant.id).getByText('Approved').waitFor();
    expect((await stored(grant.id)).scope).toBeNull();
    expect((await askAgain([operation(`${PROJECT}/src/b.ts`)])).status).toBe(202);
  });

  it('approves everything below an offered directory, without a reload, and the standing list says so', async () => {
    const grant = await ask([operation(`${PROJECT}/src/deep/a.ts`)]);
    await openGrant(scene.page, grant);
    await scene.page.evaluate('window.notReloaded = true');
    const offered = await card(scene.page, grant.id).locator('.choice').allInnerTexts();
    expect(offered.map((text) => text.trim())).toEqual([
      'exactly this',
      `any write or edit below ${PROJECT}/src/deep`,
      `any write or edit below ${PROJECT}/src`,
      `any write or edit below ${PROJECT}`,
      'any write or edit below:',
    ]);
    await choice(grant.id, `any write or edit below ${PROJECT}/src`).nth(1).check();
    expect(await button(grant.id, 'Approve once').isDisabled()).toBe(true);
    await card(scene.page, grant.id).getByText('An approval for a directory needs an end time').waitFor();
    await approveOn(scene, grant.id, '1 h');
    await card(scene.page, grant.id).locator('.facts').getByText('Covers').waitFor();
    expect(await scene.page.evaluate('window.notReloaded')).toBe(true);
    expect((await stored(grant.id)).scope).toEqual({ operations: ['write', 'edit'], pathPrefix: `${PROJECT}/src` });
    expect((await askAgain([operation(`${PROJECT}/src/other.ts`, { verb: 'edit' })])).status).toBe(200);
    expect((await askAgain([operation(`${PROJECT}/srcs/other.ts`)])).status).toBe(202);
    for (const place of ['standing', 'history']) {
      await scene.page.goto(`${scene.server.url}/${place}`);
      const text = await card(scene.page, grant.id).innerText();
      expect(text.replace(/\s+/g, ' ')).toContain(`any write or edit below ${PROJECT}/src`);
    }
    await scene.page.goto(`${scene.server.url}/standing`);
    await button(grant.id, 'Revoke').click();
    await state(grant.id).getByText('Revoked').waitFor();
    expect((await askAgain([operation(`${PROJECT}/src/third.ts`)])).status).toBe(202);
  });

  it('accepts a typed directory, and says in one line why another one cannot be given', async () => {
    const grant = await ask([operation(`${PROJECT}/src/deep/a.ts`)]);
    await openGrant(scene.page, grant);
    const input = card(scene.page, grant.id).getByLabel('Another directory');
    await input.fill(`${PROJECT}/test`);
    expect(await choice(grant.id, 'any write or edit below:').isChecked()).toBe(true);
    await approveOn(scene, grant.id, '1 h');
    await card(scene.page, grant.id).getByText('is not below').waitFor();
    expect((await stored(grant.id)).state).toBe('pending');
    await input.fill('/home/agent/');
    await settle(scene.page);
    await approveOn(scene, grant.id, 'Always');
    await state(grant.id).getByText('Approved').waitFor();
    expect((await stored(grant.id)).scope).toMatchObject({ pathPrefix: '/home/agent' });
  });

  it('returns to one use when the directory is deselected', async () => {
    const grant = await ask([operation(`${PROJECT}/src/a.ts`)]);
    await openGrant(scene.page, grant);
    await choice(grant.id, `any write or edit below ${PROJECT}/src`).check();
    await choice(grant.id, 'exactly this').check();
    await approveOn(scene, grant.id, 'Approve once');
    await state(grant.id).getByText('Approved').waitFor();
    expect(await stored(grant.id)).toMatchObject({ scope: null, term: { kind: 'once' } });
  });

  it('can be used with only the keyboard', async () => {
    const grant = await ask([operation(`${PROJECT}/src/a.ts`)]);
    await openGrant(scene.page, grant);
    await choice(grant.id, 'exactly this').focus();
    await scene.page.keyboard.press('ArrowDown');
    await scene.page.keyboard.press('Tab');
    await scene.page.keyboard.press('Tab');
    expect(await scene.page.evaluate('document.activeElement.textContent.trim()')).toBe('15 min');
    await scene.page.keyboard.press('Enter');
    await state(grant.id).getByText('Approved').waitFor();
    expect((await stored(grant.id)).scope).toMatchObject({ pathPrefix: `${PROJECT}/src` });
  });

  it('fits 360 px with the longest names, and has targets that a thumb can hit', async () => {
    const long = 'w'.repeat(250);
    const grant = await ask([operation(`${PROJECT}/${long}/${long}/a.ts`, { askedPath: `/${long}` })], `+${long}\n`);
    await openGrant(scene.page, grant);
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await scene.page.evaluate(sideways)).toBe(0);
    const heights = await scene.page
      .locator('.choice, .scope-path')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });
});
