/** A host that takes sealed approvals only, and a phone with its approver's passkey: built programs, a real browser. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { removeInstallation } from '../fixtures/remove-installation.ts';
import { newAuthenticator } from './authenticator.ts';
import { PHONE } from './browser-fixture.ts';

const BIN = resolve('dist/bin');

/** @property errors the exceptions of the page; expected to stay empty */
export interface SealingPhone {
  readonly address: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly errors: readonly string[];
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

export class SealingHost {
  readonly home = mkdtempSync(join(tmpdir(), 'ape-seal-'));

  call(program: string, ...args: string[]) {
    const env = { PATH: '/usr/bin:/bin', HOME: this.home, APES_HOME: join(this.home, 'apes'), LC_ALL: 'C.UTF-8' };
    const { status, stdout, stderr } = spawnSync(join(BIN, program), args, { encoding: 'utf8', env, cwd: this.home });
    return { status, stdout, stderr };
  }

  data<T>(...args: string[]): T {
    const { stdout, stderr } = this.call('apes', ...args, '--json');
    const answer = JSON.parse(stdout) as { ok: boolean; data: T };
    if (!answer.ok) throw new Error(`${args.join(' ')}: ${stderr}`);
    return answer.data;
  }

  /** Starts the host, pins it to sealed approvals, and registers the phone, which is not on the list of approvers yet. */
  async phone(browser: Browser): Promise<SealingPhone> {
    const { signInUrl } = this.data<{ signInUrl: string }>('up', '--port', '0');
    this.data('owner', 'key', 'create', '--here');
    this.data('approvers', 'pin', '--required');
    return this.register(browser, signInUrl);
  }

  /** Opens a sign-in link on another phone, and registers that phone. */
  async register(browser: Browser, signInUrl: string): Promise<SealingPhone> {
    const link = signInUrl.replace('127.0.0.1', 'localhost');
    const context = await browser.newContext({ viewport: PHONE });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    const authenticator = await newAuthenticator(page);
    await page.goto(link);
    await page.getByRole('button', { name: 'register this device' }).click();
    await page.waitForURL('**/devices');
    await page.getByRole('button', { name: 'Register this device' }).click();
    await page.waitForURL('**/devices?after=registered');
    return { address: new URL(link).origin, context, page, errors, ...authenticator };
  }

  /** Puts the phone on the list of approvers, and returns the id of its device. */
  admit(): string {
    const [device] = this.data<{ devices: { id: string }[] }>('owner', 'devices', 'list').devices;
    this.data('approvers', 'add', 'phone', '--device', device?.id ?? '');
    return device?.id ?? '';
  }

  close(): void {
    this.call('apes', 'down');
    removeInstallation(this.home);
  }
}
