/** From the phone to the host: a passkey on the list of approvers seals in the browser, and a host that takes nothing else runs it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { newKey } from '../component/server-fixture.ts';
import { card, openBrowser, PHONE, settle } from './browser-fixture.ts';

const BIN = resolve('dist/bin');
let home: string;
let browser: Browser;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ape-seal-'));
  browser = await openBrowser();
});
afterAll(async () => {
  call('apes', 'down');
  await browser.close();
  removeDirectory(home);
});

function call(program: string, ...args: string[]) {
  const env = { PATH: '/usr/bin:/bin', HOME: home, APES_HOME: join(home, 'apes'), LC_ALL: 'C.UTF-8' };
  const { status, stdout, stderr } = spawnSync(join(BIN, program), args, { encoding: 'utf8', env, cwd: home });
  return { status, stdout, stderr };
}

function data<T>(...args: string[]): T {
  const { stdout, stderr } = call('apes', ...args, '--json');
  const answer = JSON.parse(stdout) as { ok: boolean; data: T };
  if (!answer.ok) throw new Error(`${args.join(' ')}: ${stderr}`);
  return answer.data;
}

/** Files a request, and gives its id. */
function asked(line: string): string {
  const { status, stderr } = call('ape-shell', '-c', line);
  expect([line, status]).toEqual([line, 75]);
  return /g_[a-z2-7]{26}/.exec(stderr)?.[0] ?? '';
}

async function newAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

it('a phone is admitted, seals an approval, and is removed', async () => {
  const { signInUrl } = data<{ signInUrl: string }>('up', '--port', '0');
  const link = signInUrl.replace('127.0.0.1', 'localhost');
  const address = new URL(link).origin;
  data('owner', 'key', 'create', '--here');
  data('approvers', 'pin', '--required');

  const context = await browser.newContext({ viewport: PHONE });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await newAuthenticator(page);
  await page.goto(link);
  await page.getByRole('button', { name: 'register this device' }).click();
  await page.waitForURL('**/devices');
  await page.getByRole('button', { name: 'Register this device' }).click();
  await page.waitForURL('**/devices?after=registered');

  const approve = async (id: string) => {
    await page.goto(`${address}/grants/${id}`);
    await card(page, id).locator('.decide').waitFor();
    await settle(page);
    await card(page, id).getByRole('button', { name: 'Approve once', exact: true }).click();
    // The next request that waits takes the place of this one on the page.
    await expect.poll(() => call('apes', 'grants', 'status', id).stdout.trim()).toBe('approved');
  };

  // Not admitted yet: the server approves, the host does not take it.
  await approve(asked('echo unsealed'));
  expect(call('ape-shell', '-c', 'echo unsealed').status).toBe(75);

  const [device] = data<{ devices: { id: string }[] }>('owner', 'devices', 'list').devices;
  data('approvers', 'add', 'phone', '--device', device?.id ?? '');
  const sealed = asked('echo sealed');
  await approve(sealed);
  expect(call('apes', 'grants', 'show', sealed).stdout).toMatch(/^sealed: +by phone$/m);
  const [used] = data<{ devices: { lastUsedAtMs: number | null }[] }>('owner', 'devices', 'list').devices;
  expect(used?.lastUsedAtMs).not.toBeNull(); // so that a copy is noticed by its counter
  expect(call('ape-shell', '-c', 'echo sealed')).toMatchObject({ status: 0, stdout: 'sealed\n' });
  expect(call('ape-shell', '-c', 'echo sealed').status).toBe(75); // once is once

  // Removed: what it sealed a moment ago counts no more.
  await approve(asked('echo later'));
  await page.goto(`${address}/devices`);
  await page.getByText('Remove …').click();
  await page.getByText('Hosts take what it sealed until a list of approvers without it is signed').waitFor();
  expect(data('owner', 'devices', 'remove', device?.id ?? '')).toMatchObject({ approvers: 'changed' });
  expect(call('apes', 'approvers', 'list').stdout).not.toContain('phone');
  expect(call('ape-shell', '-c', 'echo later').status).toBe(75);

  const { publicKey } = newKey();
  data('approvers', 'add', 'second', '--key', publicKey);
  expect(call('apes', 'approvers', 'list').stdout).toContain('second');
  data('approvers', 'remove', 'second');
  expect(call('apes', 'approvers', 'list').stdout).not.toContain('second');
  expect(errors).toEqual([]);
  await context.close();
});
