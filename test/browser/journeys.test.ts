/**
 * How many taps and scrolls a decision takes, from the inbox and from the link of a notification.
 * `APE_JOURNEYS=FILE npx vitest run test/browser/journeys.test.ts --project browser` tries all ways and writes the table;
 * `APE_TEST_PICTURES=DIRECTORY` writes a picture of each card.
 */
import { writeFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { TestServer } from '../component/server-fixture.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { newAuthenticator } from './authenticator.ts';
import { card, keepPicture, openBrowser, settle } from './browser-fixture.ts';
import { Hand } from './hand.ts';
import { pendingTouching, TYPICAL_REQUESTS, type TypicalRequest } from './typical-requests.ts';

const SCREENS = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } } as const;
type Screen = keyof typeof SCREENS;
type Start = 'inbox' | 'link';
type Decision = 'once' | 'deny' | 'always';
const DECISIONS: readonly Decision[] = ['once', 'deny', 'always'];

/**
 * The parts of a card on which the decision about a command depends: who asks on which host, the risk, the bytes, the directory, what
 * the command does or why that is not known, and that the approval is not sealed. A card has `.note.opaque` or `.part .sentence`.
 */
const DECIDES = ['.who', '.badges', '.command', '.place', '.note.opaque, .part .sentence', '.meta .unsealed'];

/**
 * @property hidden those of these parts that are not above the buttons when the card opens
 * @property swipes number of swipes to read the card to its end
 */
interface Walked {
  readonly taps: number;
  readonly scrolls: number;
  readonly prompts: number;
  readonly risk: string;
  readonly swipes: number;
  readonly hidden: readonly string[];
}

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** The owner, signed in on a screen of one size, with or without a passkey. */
class Approver {
  readonly server: TestServer;
  readonly page: Page;
  private readonly context: BrowserContext;
  private prompts = 0;

  private constructor(server: TestServer, context: BrowserContext, page: Page) {
    this.server = server;
    this.context = context;
    this.page = page;
  }

  static async signedIn(screen: Screen, hasPasskey: boolean): Promise<Approver> {
    const server = await TestServer.start({ rules: allRules });
    const context = await browser.newContext({ viewport: SCREENS[screen] });
    context.setDefaultTimeout(60_000);
    const approver = new Approver(server, context, await context.newPage());
    const { page } = approver;
    if (hasPasskey) await approver.plugIn();
    await page.goto(`${approver.address}/sign-in/${await server.ownerLink()}`);
    if (hasPasskey) {
      await page.getByRole('button', { name: 'register this device' }).click();
      await page.waitForURL('**/devices');
      await page.getByRole('button', { name: 'Register this device' }).click();
      await page.waitForURL('**/devices?after=registered');
    } else {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${approver.address}/`);
    }
    return approver;
  }

  private get address(): string {
    return `http://localhost:${this.server.running.port}`;
  }

  private async plugIn(): Promise<void> {
    const { cdp } = await newAuthenticator(this.page);
    cdp.on('WebAuthn.credentialAsserted', () => {
      this.prompts += 1;
    });
  }

  /** Files a request and decides on it. Each request has a new requester, because many denials would pause a requester. */
  async walk(typical: TypicalRequest, start: Start, decision: Decision, picture?: string): Promise<Walked> {
    const { page, server } = this;
    const agent = await server.requester(`agent-${this.prompts}-${Math.random()}`.slice(0, 12));
    const grant = await typical.file(server, agent);
    const hand = new Hand(page);
    const before = this.prompts;
    if (start === 'inbox') {
      await page.goto(`${this.address}/`);
      await hand.tap(page.locator(`.brief[data-grant-id="${grant.id}"] a`));
    } else {
      await page.goto(`${this.address}/grants/${grant.id}`);
      hand.taps += 1; // on the notification
    }
    await card(page, grant.id).locator('.decide').waitFor();
    await settle(page);
    const risk = await card(page, grant.id).locator('.badges').innerText();
    const swipes = await page.evaluate<number>(
      'Math.ceil(Math.max(0, document.documentElement.scrollHeight - innerHeight) / (innerHeight * 0.8))',
    );
    const hidden = await this.hiddenIn(grant.id, DECIDES);
    await this.keep(picture, '');
    await this.decide(hand, grant.id, decision, picture);
    const wanted = decision === 'deny' ? 'denied' : 'approved';
    const state = async () => (await server.call<GrantView>('GET', `/v1/grants/${grant.id}`, agent.headers)).body.state;
    await expect.poll(state).toBe(wanted);
    return {
      taps: hand.taps,
      scrolls: hand.scrolls,
      prompts: this.prompts - before,
      risk: risk.trim(),
      swipes,
      hidden,
    };
  }

  /** Opens the page of a request. Returns which of these parts of its card are not above the buttons. */
  async hiddenOn({ id }: GrantView, parts: readonly string[]): Promise<readonly string[]> {
    await this.page.goto(`${this.address}/grants/${id}`);
    await card(this.page, id).locator('.decide').waitFor();
    await settle(this.page);
    return this.hiddenIn(id, parts);
  }

  private async hiddenIn(id: string, parts: readonly string[]): Promise<readonly string[]> {
    const shown = card(this.page, id);
    const buttonsTop = (await shown.locator('.decide').boundingBox())?.y ?? 0;
    const isHidden = async (selector: string): Promise<boolean> => {
      const [part] = await shown.locator(selector).all();
      const box = (await part?.boundingBox()) ?? null;
      return box === null || box.y < 0 || box.y + box.height > buttonsTop;
    };
    const hidden = await Promise.all(parts.map(isHidden));
    return parts.filter((_, at) => hidden[at]);
  }

  private async decide(hand: Hand, id: string, decision: Decision, picture?: string): Promise<void> {
    const shown = card(this.page, id);
    const number = await this.server.matchNumber(id);
    const button = (name: string) => shown.getByRole('button', { name, exact: true });
    if (decision === 'deny') return hand.tap(button('Deny'));
    if (decision === 'always') {
      await hand.tap(shown.getByText('Longer or wider'));
      await settle(this.page);
      await this.keep(picture, '-longer');
      await hand.tap(number === null ? button('Always') : shown.locator('label.choice', { hasText: /^\s*always\s*$/ }));
    }
    if (number !== null) return hand.tap(button(number));
    if (decision === 'once') return hand.tap(button('Approve once'));
  }

  private async keep(name: string | undefined, more: string): Promise<void> {
    if (name !== undefined) await keepPicture(this.page, `${name}${more}`, { fullPage: false });
  }

  async close(): Promise<void> {
    await this.context.close();
    await this.server.stop();
  }
}

describe.each(['phone', 'desk'] as const)('on a %s', (screen) => {
  it('every typical request is approved once from the inbox with two taps, and no scroll', async () => {
    const approver = await Approver.signedIn(screen, false);
    const walked: unknown[] = [];
    for (const [at, typical] of TYPICAL_REQUESTS.entries()) {
      const { taps, scrolls, hidden } = await approver.walk(typical, 'inbox', 'once', `card-${screen}-${at + 1}`);
      walked.push([typical.name, taps, scrolls, typical.isShort === true ? hidden : []]);
    }
    await approver.close();
    expect(walked).toEqual(TYPICAL_REQUESTS.map(({ name }) => [name, 2, 0, []]));
  });

  it.each([false, true])(
    'a request of low risk takes two taps and no scroll, denied or approved (passkey: %s)',
    async (hasPasskey) => {
      const approver = await Approver.signedIn(screen, hasPasskey);
      const [low] = TYPICAL_REQUESTS;
      if (low === undefined) throw new Error('there is none');
      for (const start of ['inbox', 'link'] as const)
        for (const decision of ['once', 'deny'] as const) {
          const { taps, scrolls, prompts, risk } = await approver.walk(low, start, decision);
          expect([start, decision, taps, scrolls, prompts, risk]).toEqual([start, decision, 2, 0, 0, 'Low risk']);
        }
      await approver.close();
    },
  );
});

describe.each(['phone', 'desk'] as const)('above the buttons of a card that opens on a %s', (screen) => {
  it('are the files that the line touches, and the variable that decides what runs', async () => {
    const approver = await Approver.signedIn(screen, false);
    const agent = await approver.server.requester();
    const touching = await pendingTouching(approver.server, agent, 'rm -rf build');
    expect(await approver.hiddenOn(touching, [...DECIDES, '.touches .touched > p'])).toEqual([]);
    await keepPicture(approver.page, `touches-${screen}`, { fullPage: false });
    const environment = [{ name: 'LD_PRELOAD', value: '/tmp/evil.so' }];
    const decided = await pendingLine(approver.server, agent, 'git status', { environment });
    expect(await approver.hiddenOn(decided, [...DECIDES, '.deciding strong'])).toEqual([]);
    await keepPicture(approver.page, `deciding-${screen}`, { fullPage: false });
    await approver.close();
  });
});

const wantedTable = process.env['APE_JOURNEYS'];
if (wantedTable !== undefined)
  it('writes the table', { timeout: 3_600_000 }, async () => {
    const rows: string[] = [];
    for (const screen of ['phone', 'desk'] as const)
      for (const hasPasskey of [false, true]) {
        const approver = await Approver.signedIn(screen, hasPasskey);
        for (const [at, typical] of TYPICAL_REQUESTS.entries()) {
          const cells: string[] = [];
          let first: Walked | null = null;
          for (const start of ['inbox', 'link'] as const)
            for (const decision of DECISIONS) {
              const picture =
                decision === 'always' && start === 'inbox' && !hasPasskey ? `always-${screen}-${at + 1}` : undefined;
              const walked = await approver.walk(typical, start, decision, picture);
              first ??= walked;
              cells.push(`${walked.taps}, ${walked.scrolls}${walked.prompts > 0 ? ' + prompt' : ''}`);
            }
          const { width, height } = SCREENS[screen];
          rows.push(
            `| ${width}x${height}${hasPasskey ? ', passkey' : ''} | ${typical.name} | ${first?.risk} | ${cells.join(' | ')} | ${first?.swipes} |`,
          );
          writeFileSync(wantedTable, `${rows.join('\n')}\n`);
        }
        await approver.close();
      }
  });
