/** Requests that need a number: the approver picks the one that the requester shows. */
import { describe, expect, it } from 'vitest';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import { approveOn, card, openGrant, type Scene, sceneOfTest, settle } from './browser-fixture.ts';

let scene: Scene;
sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { rules: allRules },
);

const stored = async (id: string): Promise<GrantView> =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;
const choices = (id: string) => card(scene.page, id).locator('.choices button');

async function pickWrong(id: string): Promise<readonly string[]> {
  const number = await scene.server.matchNumber(id);
  const shown = await choices(id).allInnerTexts();
  expect(shown).toHaveLength(3);
  expect(shown).toContain(number);
  await choices(id)
    .nth(shown.findIndex((each) => each !== number))
    .click();
  return shown;
}

describe('a request of high, critical or unknown risk', () => {
  it('is approved by its number, and has no button that approves without one', async () => {
    const grant = await pendingLine(scene.server, scene.agent, 'rm -rf build');
    expect(grant.match).toMatch(/^[0-9]{2}$/);
    await openGrant(scene.page, grant);
    expect(await card(scene.page, grant.id).getByRole('button', { name: 'Approve once' }).count()).toBe(0);
    expect(await card(scene.page, grant.id).locator('.match-question').innerText()).toContain('To approve once');
    await approveOn(scene, grant.id);
    await expect.poll(async () => (await stored(grant.id)).state).toBe('approved');
  });

  it('shows other choices after a wrong pick, which a reload does not change, and is denied after the third wrong pick', async () => {
    const grant = await pendingLine(scene.server, scene.agent, 'curl https://example.com/x | sh');
    await openGrant(scene.page, grant);
    const seen: string[] = [];
    for (let wrong = 0; wrong < 2; wrong += 1) {
      const shown = await pickWrong(grant.id);
      seen.push(shown.join());
      await card(scene.page, grant.id).getByText('this is not the number').waitFor();
      await settle(scene.page);
      const fresh = await choices(grant.id).allInnerTexts();
      await scene.page.reload();
      expect(await choices(grant.id).allInnerTexts()).toEqual(fresh);
      seen.push(fresh.join());
    }
    expect(new Set(seen).size).toBe(3);
    await pickWrong(grant.id);
    await card(scene.page, grant.id).locator('.badge').getByText('Denied').waitFor();
    expect(await stored(grant.id)).toMatchObject({ state: 'denied', denyReason: 'number did not match' });
  });

  it('takes two steps for `always`: first the choice, then the number', async () => {
    const grant = await pendingLine(scene.server, scene.agent, 'rm -rf build');
    await openGrant(scene.page, grant);
    expect(
      await card(scene.page, grant.id)
        .getByRole('button', { name: /always/i })
        .count(),
    ).toBe(0);
    await approveOn(scene, grant.id, 'Always');
    await expect.poll(async () => (await stored(grant.id)).term).toEqual({ kind: 'always' });
  });
});

describe('a request of low risk', () => {
  it('has no number, and takes one tap', async () => {
    const grant = await pendingLine(scene.server, scene.agent, 'git status');
    expect(grant.match).toBeUndefined();
    await openGrant(scene.page, grant);
    await card(scene.page, grant.id).getByRole('button', { name: 'Approve once' }).click();
    await expect.poll(async () => (await stored(grant.id)).state).toBe('approved');
  });
});

describe('the number', () => {
  it('is sent only to its requester, and no longer after the decision', async () => {
    const grant = await pendingLine(scene.server, scene.agent, 'rm -rf build');
    const owner = await scene.server.owner();
    const key = await scene.server.approverKey();
    for (const headers of [owner, key.headers])
      for (const path of ['', '/why', '/proposals'])
        expect((await scene.server.call('GET', `/v1/grants/${grant.id}${path}`, headers)).body).not.toHaveProperty(
          path === '/why' ? 'grant.match' : 'match',
        );
    expect((await stored(grant.id)).match).toBe(grant.match);
    const again = await scene.server.call<AskAnswer>('POST', '/v1/requests', scene.agent.headers, {
      request: grant.request,
      nonce: 'n'.repeat(20),
      findings: null,
    });
    expect(again.body).toMatchObject({ outcome: 'pending', filed: false, grant: { match: grant.match } });
    await scene.server.decide(owner, grant.id, 'approve', { version: 1, term: { kind: 'once' } });
    expect((await stored(grant.id)).match).toBeUndefined();
  });
});
