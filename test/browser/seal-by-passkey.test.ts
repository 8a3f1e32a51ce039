/** A passkey on the list of approvers seals an approval in the browser, and a host that takes only sealed approvals runs the command. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newKey } from '../component/server-fixture.ts';
import { newAuthenticator } from './authenticator.ts';
import { browserOfFile, card, INTERCEPTED, PHONE, settle } from './browser-fixture.ts';
import { SealingHost, type SealingPhone } from './sealing-host.ts';

let host: SealingHost;
const browser = browserOfFile();
beforeEach(() => {
  host = new SealingHost();
});
afterEach(() => host.close());

const call = (program: string, ...args: string[]) => host.call(program, ...args);

/** Files a request, and returns its id. */
function asked(line: string): string {
  const { status, stderr } = call('ape-shell', '-c', line);
  expect([line, status]).toEqual([line, 75]);
  return /g_[a-z2-7]{26}/.exec(stderr)?.[0] ?? '';
}

async function tapOn({ address, page }: SealingPhone, id: string): Promise<void> {
  await page.goto(`${address}/grants/${id}`);
  await card(page, id).locator('.decide').waitFor();
  await settle(page);
  await card(page, id).getByRole('button', { name: 'Approve once', exact: true }).click();
}

/** Taps with a passkey that is not on the list. Expects that the server says what to do, and decides nothing. */
async function refusedOn(phone: SealingPhone, id: string): Promise<void> {
  await tapOn(phone, id);
  await card(phone.page, id).locator('.message').getByText('Register a passkey on the page Devices').waitFor();
  expect(call('apes', 'grants', 'status', id).stdout.trim()).toBe('pending');
}

async function approveOn(phone: SealingPhone, id: string): Promise<void> {
  await tapOn(phone, id);
  // The next request that waits takes the place of this one on the page.
  await expect.poll(() => call('apes', 'grants', 'status', id).stdout.trim()).toBe('approved');
}

it('a phone is admitted, seals an approval, and is removed', async () => {
  const phone = await host.phone(browser());
  const { address, context, page, errors } = phone;
  const approve = (id: string) => approveOn(phone, id);

  // Not admitted yet: the card says what the host demands, and an approval does not count.
  const early = asked('echo early');
  await refusedOn(phone, early);
  const demand = card(page, early).locator('.seal-needed');
  await demand.getByText('This host runs only what is approved with a passkey or an owner key.').waitFor();
  await demand.getByText('have it admitted as an approver, or approve with').waitFor();

  // Admitted while the card is open: the next tap seals.
  const device = host.admit();
  await settle(page);
  await card(page, early).getByRole('button', { name: 'Approve once', exact: true }).click();
  await expect.poll(() => call('apes', 'grants', 'show', early).stdout).toMatch(/^sealed: +by phone$/m);
  const sealed = asked('echo sealed');
  await approve(sealed);
  expect(call('apes', 'grants', 'show', sealed).stdout).toMatch(/^sealed: +by phone$/m);
  const [used] = host.data<{ devices: { lastUsedAtMs: number | null }[] }>('owner', 'devices', 'list').devices;
  expect(used?.lastUsedAtMs).not.toBeNull(); // the use is recorded, so that the counter reveals a copy
  expect(call('ape-shell', '-c', 'echo sealed')).toMatchObject({ status: 0, stdout: 'sealed\n' });
  expect(call('ape-shell', '-c', 'echo sealed').status).toBe(75); // the `once` grant is used up

  // Removed: its earlier seals no longer count.
  await approve(asked('echo later'));
  await page.goto(`${address}/devices`);
  await page.getByText('Remove …').click();
  await page
    .getByText(
      'Hosts accept the seals of this passkey until a new list of approvers is signed that does not contain it',
    )
    .waitFor();
  expect(host.data('owner', 'devices', 'remove', device)).toMatchObject({ approvers: 'changed' });
  expect(call('apes', 'approvers', 'list').stdout).not.toContain('phone');
  expect(call('ape-shell', '-c', 'echo later').status).toBe(75);

  const { publicKey } = newKey();
  host.data('approvers', 'add', 'second', '--key', publicKey);
  expect(call('apes', 'approvers', 'list').stdout).toContain('second');
  host.data('approvers', 'remove', 'second');
  expect(call('apes', 'approvers', 'list').stdout).not.toContain('second');
  expect(errors).toEqual([]);
  await context.close();
});

it('if only the list of approvers could be changed, the page says so, and a second attempt removes the device', async () => {
  const first = await host.phone(browser());
  const device = host.admit();
  const { signInUrl } = host.data<{ signInUrl: string }>('owner', 'link');
  const context = await browser().newContext({ viewport: PHONE, ...INTERCEPTED });
  const page = await context.newPage();
  await newAuthenticator(page);
  await page.goto(signInUrl.replace('127.0.0.1', 'localhost'));
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.getByRole('button', { name: 'Register another device' }).click();
  await page.waitForURL('**/devices?after=registered');
  const { devices } = host.data<{ devices: { id: string }[] }>('owner', 'devices', 'list');
  const other = devices.find(({ id }) => id !== device)?.id ?? '';
  host.data('approvers', 'add', 'second', '--device', other);

  await page.goto(`${first.address}/devices`);
  const error = { code: 'server.busy', message: 'the database is locked; try again' };
  const busy = { status: 429, headers: { 'ape-api': '1' }, json: { error } };
  await page.route('**/v1/passkeys/*/remove', (route) => route.fulfill(busy), { times: 1 });
  const listed = page.locator(`[data-device-id="${device}"]`);
  await listed.getByText('Remove …').click();
  await listed.getByRole('button', { name: /^Remove / }).click();
  await listed.locator('.message').getByText('off the list of approvers').waitFor();
  expect(call('apes', 'approvers', 'list').stdout).not.toContain('phone');
  await listed.getByRole('button', { name: /^Remove / }).click();
  await listed.waitFor({ state: 'detached' });
  await first.context.close();
  await context.close();
});

it('one user verification approves a group: the host runs each request once by its own decision, and no other request', async () => {
  const { address, context, page, errors, cdp, authenticatorId } = await host.phone(browser());
  host.admit();
  const signatures = async () => {
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials[0]?.signCount ?? 0;
  };
  const lines = ['touch one', 'touch two', 'touch three'];
  const ids = lines.map(asked);
  await page.goto(`${address}/`);
  const group = page.locator('.group');
  await group.locator('summary').click();
  await settle(page);
  const before = await signatures();
  await group.getByRole('button', { name: 'Approve all 3 once' }).click();
  await expect.poll(() => group.locator('.brief[data-state="approved"]').count()).toBe(3);
  expect((await signatures()) - before).toBe(1);

  for (const id of ids) expect(call('apes', 'grants', 'show', id).stdout).toMatch(/^sealed: +by phone$/m);
  for (const line of lines) expect([line, call('ape-shell', '-c', line).status]).toEqual([line, 0]);
  for (const name of ['one', 'two', 'three']) expect([name, existsSync(join(host.home, name))]).toEqual([name, true]);
  expect(call('ape-shell', '-c', 'touch one').status).toBe(75); // the `once` grant is used up
  expect(call('ape-shell', '-c', 'touch four').status).toBe(75);
  expect(errors).toEqual([]);
  await context.close();
});

it('a plan is narrowed on the phone and sealed as a whole: the host runs the narrowed parts as often as the approver left', async () => {
  const { address, context, page, errors } = await host.phone(browser());
  host.admit();
  mkdirSync(join(host.home, 'src'));
  for (const name of ['a', 'b']) writeFileSync(join(host.home, 'src', name), `${name}\n`);
  const parts = [
    { line: 'touch planned', uses: 3 },
    { like: 'cat src/a', as: 'reading', uses: 5 },
    { line: 'touch struck' },
  ];
  writeFileSync(join(host.home, 'plan.json'), JSON.stringify({ reason: 'Release', for: '1h', parts }));
  const filed = call('apes', 'plan', 'plan.json');
  expect(filed.status).toBe(75);
  const id = /g_[a-z2-7]{26}/.exec(filed.stdout + filed.stderr)?.[0] ?? '';

  await page.goto(`${address}/grants/${id}`);
  const shown = card(page, id);
  await shown.locator('.decide').waitFor();
  await settle(page);
  await shown.locator('.plan-part[data-part="1"] .part-uses').fill('1');
  await shown.locator('.plan-part[data-part="2"] .part-scope[value="exact"]').check();
  await shown.locator('.plan-part[data-part="3"] .keep-part').uncheck();
  await settle(page);
  await shown.getByRole('button', { name: 'Approve the plan', exact: true }).click();
  await expect.poll(() => call('apes', 'grants', 'status', id).stdout.trim()).toBe('approved');
  expect(call('apes', 'grants', 'show', id).stdout).toMatch(/^sealed: +by phone$/m);

  const statuses = ['touch planned', 'touch planned', 'cat src/b', 'cat src/a', 'touch struck'].map(
    (line) => call('ape-shell', '-c', line).status,
  );
  expect(statuses).toEqual([0, 75, 75, 0, 75]);
  call('apes', 'grants', 'revoke', id);
  expect(call('ape-shell', '-c', 'cat src/a').status).toBe(75);
  expect(errors).toEqual([]);
  await context.close();
});

it('the phone signs another person’s device and the rules for people into the list, and the host follows', async () => {
  const owner = await host.phone(browser());
  host.admit();
  const { signInUrl } = host.data<{ signInUrl: string }>('owner', 'people', 'invite', 'Grace');
  const grace = await host.register(browser(), signInUrl);

  const line = asked('echo by-grace');
  await refusedOn(grace, line); // her passkey is not on the list yet

  await owner.page.goto(`${owner.address}/people`);
  await owner.page.getByRole('button', { name: 'Sign a list with it' }).click();
  await owner.page.getByText('It has the devices of all approvers, and the rules of this server.').waitFor();
  expect(call('apes', 'approvers', 'list').stdout).toMatch(/Grace/);
  await approveOn(grace, line);
  expect(call('ape-shell', '-c', 'echo by-grace')).toMatchObject({ status: 0, stdout: 'by-grace\n' });

  // The server forgets its rules. The host still enforces those on the list.
  call('apes', 'owner', 'people', 'set', 'Grace', '--up-to', 'low', '--hosts', 'another-host');
  await owner.page.goto(`${owner.address}/people`);
  await owner.page.getByRole('button', { name: 'Sign the rules' }).click();
  await owner.page.getByText('It has the devices of all approvers, and the rules of this server.').waitFor();
  call('apes', 'owner', 'people', 'set', 'Grace', '--unlimited');
  await approveOn(grace, asked('echo beyond'));
  const refused = call('ape-shell', '-c', 'echo beyond');
  expect(refused).toMatchObject({ status: 77, stdout: '' });
  expect(refused.stderr).toContain('limits');
  expect([...owner.errors, ...grace.errors]).toEqual([]);
  for (const { context } of [owner, grace]) await context.close();
});

it('the phone seals the policy that lets reading run: the host runs a line under it, and no other line', async () => {
  const { address, context, page, errors } = await host.phone(browser());
  mkdirSync(join(host.home, 'src'));
  writeFileSync(join(host.home, 'src', 'a'), 'a text\n');
  asked('cat src/a');
  const reading = page.locator('.reading-policy');
  const rules = async () => {
    await page.goto(`${address}/rules`);
    await reading.waitFor();
  };
  const switchOn = async () => {
    await reading.getByRole('checkbox').check();
    await reading.getByRole('button', { name: 'Let reading there run without asking' }).click();
    await reading.locator('.live').waitFor();
  };

  // Not admitted yet: the page says that the policy would have no effect, and it has none.
  await rules();
  await reading.getByText('have it admitted as an approver, before you switch this on').waitFor();
  await switchOn();
  expect(await reading.locator('.badge').innerText()).toBe('No effect');
  expect(call('ape-shell', '-c', 'cat src/a').status).toBe(75);

  host.admit();
  await rules();
  await reading.getByText('Switch this off, and on again with your passkey.').waitFor();
  await reading.getByRole('button', { name: 'Switch off' }).click();
  await expect.poll(() => reading.locator('.live').count()).toBe(0);
  await reading.getByRole('button', { name: 'Let reading there run without asking' }).waitFor();
  await switchOn();
  expect(await reading.locator('.badge').innerText()).toBe('On');
  expect(await reading.locator('.live').innerText()).toContain('sealed by phone');
  expect(call('ape-shell', '-c', 'cat src/a')).toMatchObject({ status: 0, stdout: 'a text\n' });
  expect(call('ape-shell', '-c', 'head -1 src/a')).toMatchObject({ status: 0, stdout: 'a text\n' });
  expect(call('ape-shell', '-c', 'touch src/b').status).toBe(75);

  await reading.getByRole('button', { name: 'Switch off' }).click();
  await expect.poll(() => reading.locator('.live').count()).toBe(0);
  expect(call('ape-shell', '-c', 'head -1 src/a').status).toBe(75);
  expect(errors).toEqual([]);
  await context.close();
});
