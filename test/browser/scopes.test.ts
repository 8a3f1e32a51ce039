/** Scopes of commands in the browser: what the card shows, which proposals it has, how an approver edits one, and what it then covers. */
import { describe, expect, it } from 'vitest';
import type { ConfinementLevel } from '../../src/core/confinement/confinement.ts';
import type { Impact } from '../../src/core/impact/impact.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import type { AskAnswer } from '../../src/core/wire/ask.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import { nonce } from '../component/server-fixture.ts';
import { askLine, hostFactsFor, lineRequest, PLAIN_HOST, PROJECT, pendingLine } from '../component/server-lines.ts';
import { allRules } from '../core/rule-effects.ts';
import {
  approveOn,
  card,
  DESK,
  openGrant,
  openScene,
  PHONE,
  type Scene,
  sceneOfTest,
  settle,
} from './browser-fixture.ts';
import { FAINT } from './contrast.ts';

let scene: Scene;
const browser = sceneOfTest(
  (opened) => {
    scene = opened;
  },
  { rules: allRules },
);

const pending = (text: string) => pendingLine(scene.server, scene.agent, text);
const asked = async (text: string) => (await askLine(scene.server, scene.agent, text)).body.outcome;
const stored = async (id: string): Promise<GrantView> =>
  (await scene.server.call<GrantView>('GET', `/v1/grants/${id}`, scene.agent.headers)).body;
const shown = (id: string) => card(scene.page, id);
const button = (id: string, name: string) => shown(id).getByRole('button', { name, exact: true });
const proposal = (id: string, at: number) => shown(id).locator('.proposal').nth(at);
const choose = (id: string, at: number) => proposal(id, at).getByRole('radio').check();
/** Waits for the stored state, because the next card may have replaced the card of the request. */
const approved = (id: string) => expect.poll(async () => (await stored(id)).state).toBe('approved');

async function openEdit(id: string, at: number) {
  await choose(id, at);
  await proposal(id, at).locator('summary').click();
  return proposal(id, at).locator('.scope-edit');
}

describe('the confinement', () => {
  const pendingAt = async (text: string, level: ConfinementLevel) => {
    const request = lineRequest(text);
    const hostFacts = hostFactsFor(request, PLAIN_HOST, 'agrees', level);
    const { body } = await scene.server.ask(scene.agent, text, request, hostFacts);
    if (body.outcome !== 'pending') throw new Error(body.outcome);
    await openGrant(scene.page, body.grant);
    return body.grant;
  };

  it('is chosen for an exact approval with the tick, and the card of the approval says what the kernel allows', async () => {
    const grant = await pendingAt('rm -rf build', 3);
    await proposal(grant.id, 0).getByText('Held by the kernel to:').waitFor();
    await proposal(grant.id, 0)
      .getByRole('checkbox', { name: /^confined/ })
      .check();
    await approveOn(scene, grant.id);
    await approved(grant.id);
    expect((await stored(grant.id)).confinement).toMatchObject({ level: 3, write: [PROJECT], connect: [] });
    await openGrant(scene.page, grant);
    await shown(grant.id).getByText(`writes ${PROJECT};`).waitFor();
  });

  it('is not part of an exact approval without the tick', async () => {
    const grant = await pendingAt('rm -rf build', 3);
    await approveOn(scene, grant.id);
    await approved(grant.id);
    expect((await stored(grant.id)).confinement).toBeNull();
  });

  it('of a scope is shown with the level of the host, and a host of a lower level asks', async () => {
    const grant = await pendingAt('git log -3', 3);
    await choose(grant.id, 1);
    await proposal(grant.id, 1).getByText('Held by the kernel to:').waitFor();
    await approveOn(scene, grant.id, 'Always');
    await approved(grant.id);
    await openGrant(scene.page, grant);
    await shown(grant.id).getByText('at level 3 (files, TCP and places kept read-only) or more').waitFor();
    const again = async (level: ConfinementLevel) => {
      const request = lineRequest('git log -4');
      const facts = hostFactsFor(request, PLAIN_HOST, 'agrees', level);
      return (await scene.server.ask(scene.agent, 'git log -4', request, facts)).body.outcome;
    };
    expect([await again(3), await again(2)]).toEqual(['permitted', 'pending']);
  });

  it('that a host cannot give is said on the card', async () => {
    const grant = await pendingAt('npm test', 1);
    await shown(grant.id).getByText('This host cannot confine network connections').first().waitFor();
  });
});

describe('the card of a command', () => {
  it('shows for each part what it does, with which program, on which paths, and at which risk', async () => {
    const grant = await pending('git log -3 && rm -rf build');
    await openGrant(scene.page, grant);
    const parts = shown(grant.id).locator('.part');
    expect(await parts.locator('.source').allInnerTexts()).toEqual(['git log -3', 'rm -rf build']);
    expect(await parts.nth(0).locator('.sentence').innerText()).toMatch(/^Shows commits\..*Low risk$/s);
    expect(await parts.nth(1).locator('.sentence').innerText()).toBe(
      'Deletes files. Also deletes directories, with everything below them. High risk',
    );
    expect(await parts.nth(1).locator('.resources').innerText()).toBe(`deletes ${PROJECT}/build and below`);
    expect(await parts.nth(1).locator('.program').innerText()).toBe('program /usr/bin/rm');
    expect(await shown(grant.id).locator('.badges .risk').innerText()).toBe('High risk');
    expect(await shown(grant.id).locator('.changeable').count()).toBe(0);
  });

  it('warns of a program that the user can change', async () => {
    const request = lineRequest('git status');
    const hostFacts = hostFactsFor(request, {
      ...PLAIN_HOST,
      resolveName: () => ({
        kind: 'file',
        path: '/home/agent/bin/git',
        realPath: '/home/agent/bin/git',
        ownerUid: 1000,
        writable: [{ path: '/home/agent/bin/git', by: 'user' }],
      }),
    });
    const { body } = await scene.server.ask(scene.agent, request.text, request, hostFacts);
    if (body.outcome !== 'pending') throw new Error(body.outcome);
    await openGrant(scene.page, body.grant);
    expect(await shown(body.grant.id).locator('.program').innerText()).toBe(
      'program /home/agent/bin/git the user it runs as can change this program',
    );
  });

  it('shows what the line would touch, only as text', async () => {
    const request = lineRequest('rm -rf build');
    const impact: readonly Impact[] = [
      {
        what: 'files <b>deleted</b> by rm \u202ex',
        count: 20_000,
        bytes: 5_600_000,
        items: [`${PROJECT}/build/<i>a\u0007\n`],
        isCut: true,
        note: 'counting stopped <u>',
      },
      { what: 'rows', count: null, bytes: null, items: [], isCut: false, note: null },
    ];
    const body = { request, nonce: nonce(), findings: hostFactsFor(request), touches: impact };
    const answer = await scene.server.call<AskAnswer>('POST', '/v1/requests', scene.agent.headers, body);
    if (answer.body.outcome !== 'pending') throw new Error(JSON.stringify(answer.body));
    const { grant } = answer.body;
    await openGrant(scene.page, grant);
    const rows = shown(grant.id).locator('.touched');
    expect(await rows.nth(0).locator('p').first().innerText()).toBe(
      'more than 20,000 files <b>deleted</b> by rm \\u{202e}x, 5.6 MB',
    );
    expect(await rows.nth(0).locator('.items').innerText()).toBe(`${PROJECT}/build/<i>aBEL↵\nand 19,999 more`);
    expect(await rows.nth(0).locator('.hint').innerText()).toBe('counting stopped <u>');
    expect(await rows.nth(1).innerText()).toBe('Not known: rows');
  });

  it('offers only the exact bytes of an opaque line, and says why', async () => {
    const grant = await pending('eval "$x"');
    await openGrant(scene.page, grant);
    const note = await shown(grant.id).locator('.opaque').innerText();
    expect(note).toContain('Only the exact bytes can be approved, because the line');
    expect(note).toContain('evaluates a string: eval "$x"');
    expect(note).not.toContain('Instead: '); // advice for the requester, not for the approver
    expect(await shown(grant.id).locator('.proposal, .scope').count()).toBe(0);
    expect(await shown(grant.id).locator('.how-far-note').innerText()).toContain('exactly this: nothing wider');
    await approveOn(scene, grant.id, 'Always');
    await approved(grant.id);
    expect((await stored(grant.id)).scope).toBeNull();
    expect(await asked('eval "$y"')).toBe('pending');
  });
});

describe('how far an approval reaches', () => {
  it('is exactly the request unless a wider scope is chosen', async () => {
    const grant = await pending('git log -3');
    await openGrant(scene.page, grant);
    expect(await proposal(grant.id, 0).innerText()).toBe('exactly this');
    expect(await proposal(grant.id, 0).getByRole('radio').isChecked()).toBe(true);
    expect(await shown(grant.id).locator('.scope-edit:visible').count()).toBe(0);
    await approveOn(scene, grant.id, '15 min');
    await approved(grant.id);
    expect((await stored(grant.id)).scope).toBeNull();
    expect(await asked('git log -4')).toBe('pending');
  });

  it('is shown by what each proposal would have covered; the second one covers another line without asking', async () => {
    for (const text of ['git log -1', 'git log --stat', 'git diff', 'npm test']) await pending(text);
    const grant = await pending('git log --oneline');
    await openGrant(scene.page, grant);
    await scene.page.evaluate('window.notReloaded = true');
    const offered = await shown(grant.id).locator('.proposal').count();
    expect(offered).toBeGreaterThanOrEqual(2);
    expect(offered).toBeLessThanOrEqual(4);
    expect(await proposal(grant.id, 1).locator('.evidence').innerText()).toBe(
      'would have covered 2 of the last 4 requests, for example git log --stat, git log -1',
    );
    const counts = await shown(grant.id).locator('.evidence').allInnerTexts();
    const numbers = counts.map((text) => Number(/covered (\d+) of/.exec(text)?.[1]));
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
    await choose(grant.id, 1);
    expect(await button(grant.id, 'Approve once').isDisabled()).toBe(true);
    await shown(grant.id).getByText('one use covers exactly this').waitFor();
    await approveOn(scene, grant.id, '1 h');
    await approved(grant.id);
    expect(await scene.page.evaluate('window.notReloaded')).toBe(true);
    expect(await asked('git log --graph -20')).toBe('permitted');
    expect(await asked('git push')).toBe('pending');
    await scene.page.goto(`${scene.server.url}/history`);
    const ran = scene.page.locator('.row.use');
    expect((await ran.innerText()).replace(/\s+/g, ' ')).toMatch(
      /^git log --graph -20 Ran agent · .* by git log with any options/,
    );
    await scene.page.goto(`${scene.server.url}/standing`);
    const standing = (await shown(grant.id).innerText()).replace(/\s+/g, ' ');
    expect(standing).toContain('Covers git log with any options');
    await button(grant.id, 'Revoke').click();
    await shown(grant.id).locator('.badge').getByText('Revoked').waitFor();
    expect(await asked('git log --graph -21')).toBe('pending');
  });

  it('returns to one use when the wider choice is deselected', async () => {
    const grant = await pending('git log -3');
    await openGrant(scene.page, grant);
    await choose(grant.id, 1);
    await choose(grant.id, 0);
    await approveOn(scene, grant.id, 'Approve once');
    await approved(grant.id);
    expect(await stored(grant.id)).toMatchObject({ scope: null, term: { kind: 'once' } });
  });

  it('can be edited: directory, options, uses and hours, with a preview of what that means', async () => {
    await pending('git log --graph');
    const grant = await pending('git log --oneline');
    await openGrant(scene.page, grant);
    const edit = await openEdit(grant.id, 1);
    await edit.locator('.options-listed').fill('--oneline --stat');
    await edit.locator('.uses').fill('2');
    const preview = edit.locator('.preview');
    await preview.getByText('with no other options than --oneline and --stat').waitFor();
    await preview.getByText('until used 2 times').waitFor();
    await preview.getByText('would have covered none of the last 1 request').waitFor();
    await edit.locator('.hours').check();
    await edit.locator('.hours-from').fill('08:30');
    await preview.getByText('from 08:30 to 18:00').waitFor();
    await edit.locator('.hours-to').fill('00:00');
    await preview.getByText('from 08:30 to 24:00').waitFor();
    await edit.locator('.hours').uncheck();
    await edit.locator('[data-directory]').first().fill(`${PROJECT}/`);
    await approveOn(scene, grant.id, 'Always');
    await approved(grant.id);
    const scope = (await stored(grant.id)).scope as CommandScope;
    expect(scope).toMatchObject({
      mostUses: 2,
      patterns: [{ options: ['--oneline', '--stat'] }],
      conditions: { hours: null },
    });
    expect(await asked('git log --graph')).toBe('pending');
    expect(await asked('git log --stat')).toBe('permitted');
    await scene.page.goto(`${scene.server.url}/standing`);
    expect(await shown(grant.id).locator('.outcome').innerText()).toContain('used once, 1 use left');
    expect(await asked('git log --stat --oneline')).toBe('permitted');
    expect(await asked('git log --oneline --stat HEAD')).toBe('pending');
    await openGrant(scene.page, grant);
    await shown(grant.id).locator('.used-for summary').click();
    expect(await shown(grant.id).locator('.used-for li code').allInnerTexts()).toEqual([
      'git log --stat --oneline',
      'git log --stat',
    ]);
  });

  it('with an empty time is refused, and is not read as the end of the day', async () => {
    const grant = await pending('git log --oneline');
    await openGrant(scene.page, grant);
    const edit = await openEdit(grant.id, 1);
    await edit.locator('.hours').check();
    await edit.locator('.hours-to').fill('');
    await approveOn(scene, grant.id, 'Always');
    await shown(grant.id).locator('.message', { hasText: 'Not done' }).waitFor();
    expect((await stored(grant.id)).state).toBe('pending');
  });

  it('gets each edited directory, also if the new name of one is the old name of another', async () => {
    const grant = await pending('cp src/a.ts out/b.ts');
    await openGrant(scene.page, grant);
    const edit = await openEdit(grant.id, 1);
    const fields = edit.locator('[data-directory]');
    await fields.nth(0).fill(PROJECT);
    await fields.nth(1).fill('/home/agent');
    await approveOn(scene, grant.id, 'Always');
    await approved(grant.id);
    const { patterns, conditions } = (await stored(grant.id)).scope as CommandScope;
    expect(conditions.cwdBelow).toBe('/home/agent');
    expect(patterns.flatMap(({ resources }) => resources).map(({ values }) => values)).toContainEqual({
      match: 'below',
      value: PROJECT,
    });
  });

  it('is explained in the preview and in the refusal if an edited scope cannot be given', async () => {
    const grant = await pending('git log --oneline');
    await openGrant(scene.page, grant);
    const edit = await openEdit(grant.id, 1);
    const directory = edit.locator('[data-directory]').first();
    await directory.fill('/home/agent/other');
    await edit.locator('.preview').getByText('Not possible: ').waitFor();
    await approveOn(scene, grant.id, '1 h');
    await shown(grant.id).locator('.message').getByText('Not done: ').waitFor();
    expect((await stored(grant.id)).state).toBe('pending');
    await directory.fill('not/absolute<b>');
    await edit.locator('.preview').getByText('Not possible: ').waitFor();
    expect(await edit.locator('.preview b').count()).toBe(0);
  });

  it('is not changed by a page of another site, nor without the token of this one', async () => {
    const grant = await pending('git log --oneline');
    const owner = await scene.server.owner();
    const body = { scope: { kind: 'commands' } };
    for (const [name, value] of [
      ['origin', 'https://elsewhere.example'],
      ['x-csrf-token', 'x'],
    ] as const) {
      const answer = await scene.server.call('POST', `/parts/preview/${grant.id}`, { ...owner, [name]: value }, body);
      expect(answer.status).toBe(401);
    }
    expect((await scene.server.call('POST', `/parts/preview/${grant.id}`, scene.agent.headers, body)).status).toBe(403);
    expect((await scene.server.call('GET', '/rules', scene.agent.headers)).status).toBe(403);
  });

  it('can be chosen with only the keyboard', async () => {
    const grant = await pending('git log -3');
    await openGrant(scene.page, grant);
    await proposal(grant.id, 0).getByRole('radio').focus();
    await scene.page.keyboard.press('ArrowDown');
    expect(await proposal(grant.id, 1).getByRole('radio').isChecked()).toBe(true);
    await scene.page.keyboard.press('Tab');
    await scene.page.keyboard.press('Enter');
    await scene.page.keyboard.press('Tab');
    expect(await scene.page.evaluate('document.activeElement.dataset.directory')).toBe(PROJECT);
  });
});

describe('the card and the rules', () => {
  it('fit 360 px with the longest names, and have targets that a thumb can hit', async () => {
    const long = 'w'.repeat(200);
    const grant = await pending(`cat ${long}/${long} && git log --grep=${long} ${long} | sort -k ${long}`);
    const wide = await pending(`git log --oneline ${long}`);
    for (const address of [grant.url, wide.url, `${scene.server.url}/rules`, `${scene.server.url}/history`]) {
      await scene.page.goto(address);
      await scene.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      const radio = scene.page.locator('.proposal input[type="radio"]').last();
      if ((await radio.count()) > 0) await radio.check();
      const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([address, await scene.page.evaluate(sideways)]).toEqual([address, 0]);
      const heights = await scene.page
        .locator('button:visible, summary:visible, .choice:visible, input[type="text"]:visible, select:visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(Math.min(44, ...heights)).toBeGreaterThanOrEqual(44);
    }
  });

  it('have enough contrast in light and dark, on a phone and on a desk', async () => {
    for (const [colorScheme, viewport] of [
      ['light', PHONE],
      ['dark', DESK],
    ] as const) {
      const other = await openScene(browser(), { colorScheme, viewport, rules: allRules });
      const { server, page, agent } = other;
      await pendingLine(server, agent, 'rm -rf build');
      const grant = await pendingLine(server, agent, 'git log -3 | sort && rm x && npm install left-pad');
      const opaque = await pendingLine(server, agent, 'eval "$x"');
      for (const address of [grant.url, opaque.url, `${server.url}/rules`]) {
        await page.goto(address);
        await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
        expect([address, await page.evaluate(FAINT)]).toEqual([address, []]);
      }
      expect(other.errors).toEqual([]);
      await other.close();
    }
  });
});

describe('rules', () => {
  const forbid = () => scene.page.locator('.add-rule');

  it('about a text forbid the line, are shown with their count, and can be ended', async () => {
    await scene.page.goto(`${scene.server.url}/rules`);
    await forbid().locator('summary').click();
    await forbid().getByRole('button').click();
    await forbid().getByText('Say why').waitFor();
    await forbid().locator('.rule-text').fill('*left-pad*');
    await forbid().locator('.rule-reason').fill('not <b>that\u202e');
    await forbid().getByRole('button').click();
    const rule = scene.page.locator('.rule');
    await rule.waitFor();
    expect((await rule.innerText()).replace(/\s+/g, ' ')).toContain(
      'forbidden: *left-pad* not <b>that\\u{202e} for everybody',
    );
    const refused = await askLine(scene.server, scene.agent, 'npm install left-pad');
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'policy.denied']);
    await scene.page.goto(`${scene.server.url}/history`);
    const refusal = (await scene.page.locator('.row.use').innerText()).replace(/\s+/g, ' ');
    expect(refusal).toMatch(/^npm install left-pad Refused agent · .* by the rule forbidden: \*left-pad\*$/);
    await scene.page.goto(`${scene.server.url}/rules`);
    await rule.getByText('refused once').waitFor();
    await rule.getByRole('button', { name: 'End this rule' }).click();
    await scene.page.getByText('Nothing is forbidden').waitFor();
    expect(await asked('npm install left-pad')).toBe('pending');
  });

  it('about an operation forbid it below a directory for one requester, even if a scope covers it', async () => {
    const grant = await pending('rm -rf build');
    await openGrant(scene.page, grant);
    await choose(grant.id, 1);
    await approveOn(scene, grant.id, 'Always');
    await approved(grant.id);
    expect(await asked('rm -rf build')).toBe('permitted');
    await scene.page.goto(`${scene.server.url}/rules`);
    await forbid().locator('summary').click();
    await forbid().getByRole('radio', { name: 'this operation' }).check();
    await forbid().locator('.rule-operation').fill('rm');
    await forbid().locator('.rule-below').fill(`${PROJECT}/`);
    await forbid().locator('.rule-requester').selectOption(scene.agent.id);
    await forbid().locator('.rule-reason').fill('keep it');
    await forbid().getByRole('button').click();
    await scene.page.locator('.rule').getByText('for agent').waitFor();
    expect((await askLine(scene.server, scene.agent, 'rm -rf build')).body.error?.code).toBe('policy.denied');
    const other = await scene.server.requester('other');
    expect((await askLine(scene.server, other, 'rm -rf build')).body.outcome).toBe('pending');
  });

  it('allow a requester to read without a grant from the moment they are switched on, with evidence, until they are switched off', async () => {
    for (const text of ['git log -1', 'cat src/a.ts', 'rm -rf build']) await pending(text);
    await scene.page.goto(`${scene.server.url}/rules`);
    const reading = scene.page.locator(`[data-requester-id="${scene.agent.id}"]`);
    expect(await reading.locator('.badge').innerText()).toBe('Off');
    expect(await reading.locator('.evidence').first().innerText()).toBe('2 of its last 3 requests only read.');
    expect(await reading.locator('.choice').innerText()).toBe(
      `${PROJECT}\n2 of them, for example cat src/a.ts, git log -1`,
    );
    expect(await asked('cat src/b.ts')).toBe('pending');
    const on = reading.getByRole('button', { name: 'Let reading there run without asking' });
    expect(await on.isDisabled()).toBe(true);
    await reading.getByRole('checkbox').check();
    await on.click();
    await reading.locator('.badge').getByText('On').waitFor();
    expect(await asked('cat src/c.ts')).toBe('permitted');
    expect(await asked('cat /etc/passwd')).toBe('pending');
    expect(await asked('rm -rf src')).toBe('pending');
    await scene.page.reload();
    await reading.getByText('used once').waitFor();
    await settle(scene.page);
    await reading.getByRole('button', { name: 'Switch off' }).click();
    await reading.locator('.badge').getByText('Off').waitFor();
    expect(await asked('cat src/d.ts')).toBe('pending');
  });
});
