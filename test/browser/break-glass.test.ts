/**
 * A break-glass code that seals, in a real browser. The built programs make the code, Chromium signs in with the secret that it derives
 * from the code, and a host that takes sealed approvals only runs the approved lines. The browser never sends the code itself.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserOfFile, card, PHONE, settle } from './browser-fixture.ts';
import { SealingHost } from './sealing-host.ts';

let host: SealingHost;
const browser = browserOfFile();
beforeEach(() => {
  host = new SealingHost();
});
afterEach(() => host.close());

interface Made {
  readonly id: string;
  readonly code: string;
  readonly isSealing: boolean;
}
interface Stranger {
  readonly context: BrowserContext;
  readonly page: Page;
  /** All that the page has sent: methods, addresses, bodies. */
  readonly sent: string[];
  readonly errors: string[];
}

/** Starts a host that takes sealed approvals only. Returns the address of its pages. */
function sealedOnly(): string {
  const { signInUrl } = host.data<{ signInUrl: string }>('up', '--port', '0');
  host.data('owner', 'key', 'create', '--here');
  host.data('approvers', 'pin', '--required');
  return new URL(signInUrl.replace('127.0.0.1', 'localhost')).origin;
}

/** Opens the browser of a person who has only a code. `before` runs before any script of a page. */
async function stranger(before?: string): Promise<Stranger> {
  const context = await browser().newContext({ viewport: PHONE });
  context.setDefaultTimeout(30_000);
  if (before !== undefined) await context.addInitScript(before);
  const page = await context.newPage();
  const [sent, errors]: [string[], string[]] = [[], []];
  context.on('request', (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  return { context, page, sent, errors };
}

async function typeCode({ page }: Stranger, address: string, code: string): Promise<void> {
  await page.goto(address);
  await page.getByText('Use a recovery code, or a break-glass code').click();
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Sign in with this code' }).click();
}

function asked(line: string): string {
  const { status, stderr } = host.call('ape-shell', '-c', line);
  expect([line, status]).toEqual([line, 75]);
  return /g_[a-z2-7]{26}/.exec(stderr)?.[0] ?? '';
}

async function tapOn(page: Page, address: string, id: string): Promise<void> {
  await page.goto(`${address}/grants/${id}`);
  await card(page, id).locator('.decide').waitFor();
  await settle(page);
  await card(page, id).getByRole('button', { name: 'Approve once', exact: true }).click();
}
const stateOf = (id: string) => host.call('apes', 'grants', 'status', id).stdout.trim();

it('a code seals an approval on a page, and a host that takes sealed approvals only runs the line; the browser sends no code', async () => {
  const address = sealedOnly();
  const { id: codeId, code, isSealing } = host.data<Made>('owner', 'break-glass', 'make', '--seal', 'Safe');
  expect(isSealing).toBe(true);
  expect(host.call('apes', 'owner', 'break-glass', 'list').stdout).toMatch(
    /^b_\w+ {2}Safe, made \S+, seals until \d{4}-\d\d-\d\d$/m,
  );
  expect(host.call('apes', 'approvers', 'list').stdout).toContain(`  break-glass code ${codeId}  (break-glass key k_`);
  const [first, second, third, fourth] = ['one', 'two', 'three', 'four'].map((name) => asked(`touch ${name}`));

  const person = await stranger();
  const { page, sent, errors } = person;
  // Typed with errors: nothing is sent, also if what is left has the length of another code.
  const run = code.replaceAll('-', '');
  const mistyped = [code.slice(1), code.slice(0, -6), `${code.startsWith('a') ? 'b' : 'a'}${code.slice(1)}`];
  const shortened = [code.slice(0, -3), run.slice(0, 32), code.slice(0, 19), code.replace(/[a-z2-7]{3}$/, '018')];
  for (const wrong of [...mistyped, ...shortened]) {
    await typeCode(person, address, wrong);
    await page.getByText(/Nothing was sent; (look for a typing error|type the whole code)/).waitFor();
  }
  expect(sent.filter((each) => each.startsWith('POST'))).toEqual([]);

  await typeCode(person, address, code.toUpperCase().replaceAll('-', ' '));
  await page.getByText('The key of the code seals what you approve in this tab.').waitFor();
  expect(await page.locator('.no-seal').isVisible()).toBe(false);
  await tapOn(page, address, first ?? '');
  await expect.poll(() => stateOf(first ?? '')).toBe('approved');
  expect(host.call('apes', 'grants', 'show', first ?? '').stdout).toMatch(
    new RegExp(`^sealed: +by break-glass code ${codeId}$`, 'm'),
  );
  expect(host.call('ape-shell', '-c', 'touch one')).toMatchObject({ status: 0 });
  expect(host.call('ape-shell', '-c', 'touch one').status).toBe(75); // the `once` grant is used up

  // A group is approved one by one, each with a seal of its own.
  await page.goto(`${address}/`);
  const group = page.locator('.group').first();
  await group.locator('summary').click();
  await settle(page);
  await group.getByRole('button', { name: /Approve all \d once/ }).click();
  await expect.poll(() => [second, third, fourth].map((id) => stateOf(id ?? ''))).toEqual(Array(3).fill('approved'));
  expect(host.call('ape-shell', '-c', 'touch two')).toMatchObject({ status: 0 });

  // Another tab has no key, says so, and sends nothing for such a host.
  const fifth = asked('touch five');
  const other = await person.context.newPage();
  await tapOn(other, address, fifth);
  await card(other, fifth)
    .locator('.message')
    .getByText('Nothing was sent: this host runs only what is sealed.')
    .waitFor();
  expect(await other.locator('.no-seal').innerText()).toContain('decide in the tab in which the code was typed');
  expect(await other.getByText('The key of the code seals what you approve').isVisible()).toBe(false);
  expect(stateOf(fifth)).toBe('pending');

  // The code is typed there again: the key is made again, and nothing is sent.
  const before = sent.length;
  const typeAgain = async (text: string) => {
    await other.getByLabel('The code, once more').fill(text);
    await other.getByRole('button', { name: 'Seal in this tab' }).click();
  };
  const strange = host.data<Made>('owner', 'break-glass', 'make', '--seal', 'Till');
  const plain = host.data<Made>('owner', 'break-glass', 'make', 'Attic');
  for (const [wrong, why] of [
    [strange.code, 'You signed in with another code. Nothing was sent.'],
    [plain.code, 'You signed in with another code. Nothing was sent.'],
    [`${code.startsWith('a') ? 'b' : 'a'}${code.slice(1)}`, 'Nothing was sent; look for a typing error.'],
  ] as const) {
    await typeAgain('');
    await other.locator('.code-again .message').getByText('This is no code').waitFor();
    await typeAgain(wrong);
    await other.locator('.code-again .message').getByText(why).waitFor();
  }
  await typeAgain(code);
  await other.locator('.no-seal').waitFor({ state: 'hidden' });
  expect(await other.getByText('The key of the code seals what you approve').isVisible()).toBe(true);
  expect(sent.slice(before).filter((each) => each.startsWith('POST'))).toEqual([]);
  await settle(other);
  await card(other, fifth).getByRole('button', { name: 'Approve once', exact: true }).click();
  await expect.poll(() => stateOf(fifth)).toBe('approved');
  expect(host.call('ape-shell', '-c', 'touch five')).toMatchObject({ status: 0 });

  // Neither the code nor a part of it is in what the tabs have sent, nor is the key.
  const bare = code.replaceAll('-', '');
  const seed = await page.evaluate<string>("sessionStorage.getItem('ape-break-glass')");
  expect(JSON.parse(seed)).toMatchObject({ seed: expect.any(Array) });
  const all = sent.join('\n').toLowerCase();
  expect(sent.filter((each) => each.startsWith('POST')).length).toBeGreaterThan(4);
  for (let at = 0; at + 8 <= bare.length; at += 1) expect(all).not.toContain(bare.slice(at, at + 8));
  for (const text of [code, code.slice(0, 11), JSON.parse(seed).seed.slice(0, 8).join(',')])
    expect(all).not.toContain(text);

  for (const { id } of [strange, plain]) host.data('owner', 'break-glass', 'end', id);

  // Signed out: this tab has no key any more.
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Use a recovery code, or a break-glass code').waitFor();
  expect(await page.evaluate("sessionStorage.getItem('ape-break-glass')")).toBeNull();

  // Ended: the key is removed from the list, and what it sealed ends with it.
  const left = /^(k_\w+) .*still on the list/m;
  expect(host.call('apes', 'owner', 'break-glass', 'list').stdout).not.toMatch(left);
  const open = /^(s_\w+) {2}Safe \(break-glass\), decides alone for .*, seals$/m;
  const openId = open.exec(host.call('apes', 'owner', 'break-glass', 'list').stdout)?.[1] ?? codeId;
  expect(host.data('owner', 'break-glass', 'end', openId)).toMatchObject({ approvers: 'changed' });
  expect(host.call('apes', 'approvers', 'list').stdout).not.toContain('break-glass');
  expect(host.call('ape-shell', '-c', 'touch three').status).toBe(75);
  expect(errors).toEqual([]);
  await person.context.close();
});

it('a browser without Ed25519 says so before the code is used up, and signs in without seals if the person wants that', async () => {
  const address = sealedOnly();
  const { code } = host.data<Made>('owner', 'break-glass', 'make', '--seal', 'Safe');
  const id = asked('touch sealed');
  const person = await stranger(`{
    const real = SubtleCrypto.prototype.importKey;
    SubtleCrypto.prototype.importKey = async function (format, data, algorithm, ...rest) {
      if (algorithm === 'Ed25519') throw new DOMException('no', 'NotSupportedError');
      return real.call(this, format, data, algorithm, ...rest);
    };
  }`);
  const { page, sent } = person;
  await typeCode(person, address, code);
  await page.getByText('This browser cannot seal what you approve with this code').waitFor();
  expect(sent.filter((each) => each.startsWith('POST'))).toEqual([]);
  await page.getByRole('button', { name: 'Sign in with this code' }).click();
  await page.locator('.no-seal').getByText('This browser cannot sign with the key of the code').waitFor();
  await tapOn(page, address, id);
  await card(page, id).locator('.message').getByText('Nothing was sent').waitFor();
  expect(sent.some((each) => each.includes('/approve '))).toBe(false);
  expect(stateOf(id)).toBe('pending');

  // For a host that takes approvals without a seal too, the approval is not sealed.
  host.data('approvers', 'pin', '--optional');
  const plain = asked('touch plain');
  await tapOn(page, address, plain);
  await expect.poll(() => stateOf(plain)).toBe('approved');
  expect(host.call('apes', 'grants', 'show', plain).stdout).not.toMatch(/^sealed: +by/m);
  expect(host.call('ape-shell', '-c', 'touch plain')).toMatchObject({ status: 0 });
  await person.context.close();
});

it('the key leaves the tab when its 15 minutes are over', async () => {
  const address = sealedOnly();
  const { code } = host.data<Made>('owner', 'break-glass', 'make', '--seal', 'Safe');
  const person = await stranger();
  const { page } = person;
  await page.clock.install();
  await typeCode(person, address, code);
  await page.getByText('The key of the code seals what you approve in this tab.').waitFor();
  const kept = () => page.evaluate("sessionStorage.getItem('ape-break-glass')");
  expect(await kept()).not.toBeNull();
  await page.clock.fastForward(14 * 60_000);
  expect(await kept()).not.toBeNull();
  await page.clock.fastForward(62_000);
  expect(await kept()).toBeNull();
  await page.locator('.no-seal').getByText('This tab has no key of the code').waitFor();
  await person.context.close();
});

it('on the command line, ending an unused code removes its key; without a key that may sign lists, a new code does not seal', () => {
  sealedOnly();
  const daily = host.call('apes', 'owner', 'break-glass', 'make', '--for', '2d', 'Safe');
  expect([daily.status, daily.stdout]).toEqual([64, '']);
  const { id } = host.data<Made>('owner', 'break-glass', 'make', '--seal', '--for', '2d', 'Safe');
  type Listed = { keyId: string; breakGlass?: true; expiresAtMs?: number };
  const { approvers } = host.data<{ approvers: Listed[] }>('approvers', 'list');
  const endsInMs = (approvers[1]?.expiresAtMs ?? 0) - Date.now();
  expect(endsInMs).toBeGreaterThan(47 * 3_600_000);
  expect(endsInMs).toBeLessThanOrEqual(48 * 3_600_000);
  expect(approvers.map(({ breakGlass }) => breakGlass)).toEqual([undefined, true]);
  expect(host.call('apes', 'approvers', 'remove', approvers[0]?.keyId ?? '')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining('this is the last approver who may sign lists'),
  });
  expect(host.data('owner', 'break-glass', 'end', id)).toEqual({ id, approvers: 'changed' });
  expect(host.call('apes', 'approvers', 'list').stdout).not.toContain('break-glass');
  expect(host.call('apes', 'owner', 'break-glass', 'list').stdout).toBe('no break-glass codes\n');

  const again = host.data<Made>('owner', 'break-glass', 'make', '--seal', 'Till');
  host.call('apes', 'down');
  const ended = host.call('apes', 'owner', 'break-glass', 'end', again.id);
  expect(ended.stdout).toBe('ended\n');
  const keyId = /apes owner break-glass end (k_\w+)/.exec(ended.stderr)?.[1] ?? '';
  // The list cannot be signed without the server, so no code is made that would not seal.
  const refused = host.call('apes', 'owner', 'break-glass', 'make', '--seal', 'Attic');
  expect([refused.status, refused.stdout]).toEqual([69, '']);
  host.data('up', '--port', '0');
  expect(host.call('apes', 'owner', 'break-glass', 'list').stdout).toBe(
    `${keyId}  break-glass code ${again.id}, ended, but its key is still on the list of approvers; remove it: apes owner break-glass end ${keyId}\n`,
  );
  expect(host.data('owner', 'break-glass', 'end', keyId)).toEqual({ id: keyId, approvers: 'changed' });
  expect(host.call('apes', 'owner', 'break-glass', 'list').stdout).toBe('no break-glass codes\n');

  host.call('apes', 'owner', 'key', 'remove');
  const unmade = host.call('apes', 'owner', 'break-glass', 'make', '--seal', 'Garage');
  expect([unmade.stdout, unmade.stderr]).toEqual(['', expect.stringContaining('no owner key here may sign the list')]);
  const made = host.call('apes', 'owner', 'break-glass', 'make', 'Garage');
  expect(made.stderr).toContain('this code does not seal');
  expect(made.stdout).toMatch(/^([a-z2-7]{4}-){7}[a-z2-7]{4}$/m);
});
