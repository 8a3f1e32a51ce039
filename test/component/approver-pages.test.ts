/** What an approver's card and inbox show, and what they show first. */
import { describe, expect, it } from 'vitest';
import { sealText } from '../../src/cli/grants/grant-text.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { type AboutGrant, grantCard, NOTHING_MORE } from '../../src/web/cards/grant-card.ts';
import { inboxPage } from '../../src/web/pages/inbox-page.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const DEFAULT_LOADABLES = '/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/bash:.';

function pending(environment: GrantView['request']['environment']): GrantView {
  const request = { kind: 'line', text: 'ls', argv: [], cwd: '/w', host: 'h', user: 'u', environment } as const;
  return { ...pendingGrant({ request }), url: 'http://localhost/g_x' };
}

describe('the environment of a request', () => {
  it('stays folded if it has only variables that every session has, also those that bash sets by itself', () => {
    const usual = [
      { name: 'HOME', value: '/home/u' },
      { name: 'BASH_LOADABLES_PATH', value: DEFAULT_LOADABLES },
    ];
    expect(grantCard(pending(usual)).text).toMatch(/<details class="environment"><summary>/);
  });

  it('is open, with the unusual variables first, if one of the variables changes what the command does', () => {
    const odd = [
      { name: 'HOME', value: '/home/u' },
      { name: 'BASH_LOADABLES_PATH', value: '/tmp' },
    ];
    const { text } = grantCard(pending(odd));
    expect(text).toMatch(/<details class="environment" open><summary>/);
    expect(text.indexOf('BASH_LOADABLES_PATH')).toBeLessThan(text.indexOf('HOME'));
  });
});

describe('the pin of the host', () => {
  const FOLDED =
    /<details class="environment"><summary>[^<]*<\/summary>[\s\S]*<p class="hint pin">As h says: [^<]+\.<\/p><\/details>/;

  it.each([
    ['system', 'where only root can write'],
    ['own', 'beside the requester&#39;s keys, where the requester can write'],
    ['none', 'no approvers are pinned on it, so it accepts unsealed approvals'],
  ] as const)(
    'the pin "%s" is shown as a claim of the host, in the folded part, with and without variables',
    (pin, words) => {
      for (const environment of [[], [{ name: 'HOME', value: '/home/u' }]]) {
        const { text } = grantCard({ ...pending(environment), pin });
        expect(text).toMatch(FOLDED);
        expect(text).toContain(words);
      }
      const before = { ...NOTHING_MORE, before: [{ name: 'HOME', value: '/home/u' }] };
      expect(grantCard({ ...pending([{ name: 'HOME', value: '/home/u' }]), pin }, before).text).toMatch(FOLDED);
      expect(grantCard({ ...pending([]), pin }, { ...NOTHING_MORE, before: [] }).text).toMatch(FOLDED);
    },
  );

  it('is not shown if the host does not report it', () => {
    expect(grantCard(pending([])).text).not.toContain('<details class="environment"');
  });
});

describe('the seal of an approval', () => {
  const shown = (more: Partial<GrantView>) =>
    grantCard({ ...pending([]), decidedAtMs: 1, term: { kind: 'once' }, ...more }).text;
  const sealed = { seal: { kind: 'ed25519', keyId: 'k' }, by: 'Ada' } as unknown as NonNullable<GrantView['sealed']>;

  it.each(['approved', 'used', 'revoked', 'expired'] as const)(
    'is shown, or reported as missing, on the card of a grant that is %s',
    (state) => {
      expect(shown({ state })).toContain(' · unsealed</p>');
      expect(shown({ state, sealed })).toContain(' · sealed by Ada</p>');
    },
  );

  it('is shown with all people who sealed, the first one first; a seal without a name has its key', () => {
    const bySeveral = { ...sealed, by: 'Grace', also: [sealed, { seal: { kind: 'ed25519', keyId: 'k2' } }] };
    const grant = { state: 'approved', sealed: bySeveral as typeof sealed } as const;
    expect(shown(grant)).toContain(' · sealed by Ada, k2, Grace</p>');
    expect(sealText(grant)).toBe('by Ada, k2, Grace');
  });

  it('is reported as missing before the decision, with or without a list of approvers, if no passkey of this person would seal', () => {
    const undecided = (sealing: AboutGrant['sealing'], more: Partial<GrantView> = {}) =>
      grantCard({ ...pending([]), ...more }, { ...NOTHING_MORE, sealing }).text;
    const NOT_SEALED = /<p class="meta">[^\n]* · <span class="unsealed"[^>]*>not sealed<\/span><\/p>/;
    for (const sealing of ['no-list', 'unsealed'] as const) expect(undecided(sealing)).toMatch(NOT_SEALED);
    for (const sealing of ['by-passkey', null] as const) expect(undecided(sealing)).not.toContain('sealed');
    // The host of a sealed-only request runs nothing without a seal, and the server takes no approval without one.
    expect(undecided('no-list', { sealedOnly: true })).not.toMatch(NOT_SEALED);
    expect(undecided('no-list', { sealedOnly: true })).toContain('Register a passkey on the page');
    expect(undecided('by-passkey', { sealedOnly: true })).not.toContain('Register a passkey');
    expect(grantCard({ ...pending([]), state: 'denied' }, { ...NOTHING_MORE, sealing: 'no-list' }).text).not.toContain(
      'not sealed',
    );
  });

  it('is not mentioned for a request that was never approved', () => {
    for (const state of ['denied', 'withdrawn', 'expired'] as const)
      expect(shown({ state, term: null })).not.toContain('sealed');
  });
});

describe('the inbox', () => {
  const frame = {
    assets: { style: {}, script: {}, passkeys: {}, icon: {}, icons: [], basePath: '' },
    csrfToken: '',
    nowMs: 1,
    lastSeq: 0,
    place: 'inbox',
    breakGlass: null,
    openBreakGlass: [],
  } as const;
  const enrolment = { id: 'e_x', code: 'AAAA-BBBB', name: 'n', host: 'h', user: 'u', role: 'requester' };
  const shown = (waiting: number) =>
    inboxPage({ ...frame, pending: waiting } as never, {
      briefs: [],
      enrolments: [{ ...enrolment, createdAtMs: 1, expiresAtMs: 2 } as never],
      paused: [],
      waiting,
      isManager: true,
      sealing: null,
    });

  it('counts the requests that it does not show, without the new host', () => {
    expect(shown(0)).not.toContain('class="rest"');
    expect(shown(1)).toContain('1 more waits');
  });
});
