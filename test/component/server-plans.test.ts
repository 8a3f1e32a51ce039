/** Plans on a real server: which lines they cover, how often, in which order, for whom and until when, and how an approver may narrow a plan. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeDirectory } from '../../scripts/remove-directory.mjs';
import { partRequest, planText } from '../../src/core/plan/plan.ts';
import type { ErrorBody } from '../../src/core/wire/error.ts';
import type { ExplainAnswer } from '../../src/core/wire/explain.ts';
import type { GrantView } from '../../src/core/wire/grant-view.ts';
import type { Plan, PlanPart, PlanSheet } from '../../src/core/wire/plan.ts';
import type { PolicyBody } from '../../src/core/wire/policy.ts';
import { allRules } from '../core/rule-effects.ts';
import { nonce, type Person, TestServer } from './server-fixture.ts';
import {
  askLine,
  hostFactsFor,
  lineRequest,
  PROJECT,
  payloadOf,
  pendingLine,
  scopeFor,
  standing,
} from './server-lines.ts';

const HOUR_MS = 3_600_000;
let directory: string;
let server: TestServer;
let other: TestServer;
let owner: Readonly<Record<string, string>>;
let agent: Person;
let nowMs = Date.UTC(2026, 10, 23, 12, 0);
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ape-plans-'));
  const database = join(directory, 'grants.db');
  const start = () => TestServer.start({ rules: allRules, directory, database, clock: () => nowMs });
  server = await start();
  other = await start();
  owner = (await server.approverKey()).headers;
});
afterAll(async () => {
  await server.stop();
  await other.stop();
  removeDirectory(directory);
});
beforeEach(async () => {
  agent = await server.requester();
});

type Part = Pick<PlanPart, 'text'> & Partial<PlanPart>;
const planOf = (parts: readonly Part[], more: Partial<Plan> = {}): Plan => ({
  order: false,
  end: { forMs: HOUR_MS },
  parts: parts.map((part) => ({ cwd: PROJECT, as: 'exact', uses: 1, ...part })),
  ...more,
});

type Filed = { readonly outcome: string; readonly grant: GrantView; readonly filed?: boolean } & ErrorBody;
function filePlan(
  plan: Plan,
  by: Person = agent,
  at: TestServer = server,
  demand: { sealedOnly?: true; pin?: 'own' } = {},
) {
  const request = {
    ...lineRequest(''),
    kind: 'plan' as const,
    text: planText(plan, lineRequest('').cwd),
    argv: [],
    plan,
  };
  const findings = plan.parts.map((part) => hostFactsFor(partRequest(request, part)));
  return at.call<Filed>('POST', '/v1/plans', by.headers, { request, findings, ...demand });
}

const sheetOf = async (id: string) => (await server.call<PlanSheet>('GET', `/v1/plans/${id}`, owner)).body.parts;

/** What an approver approves of one part. */
interface ApprovedPart {
  readonly offer?: string;
  readonly uses?: number;
}

/** Approves as much as was asked for, unless `left` says less. A part that is null in `left` is struck out. */
async function approve(
  grant: GrantView,
  left: Readonly<Record<number, ApprovedPart | null>> = {},
  untilMs = nowMs + HOUR_MS,
) {
  const parts = (await sheetOf(grant.id)).flatMap(({ part, fingerprint, offers, wantedUses }) => {
    if (left[part] === null) return [];
    const given = left[part] ?? {};
    const offer = given.offer === undefined ? offers.at(-1) : offers.find(({ id }) => id === given.offer);
    return [{ part, fingerprint, scope: offer?.scope ?? null, uses: given.uses ?? wantedUses }];
  });
  const order = grant.request.plan?.order === true;
  const answer = await server.decide(owner, grant.id, 'approve', {
    version: grant.version,
    term: { kind: 'timed', untilMs },
    scope: { kind: 'plan', order, parts },
  });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
}

async function approved(parts: readonly Part[], left = {}, more: Partial<Plan> = {}): Promise<GrantView> {
  const { body } = await filePlan(planOf(parts, more));
  await approve(body.grant, left);
  return body.grant;
}

/** Returns 200 if the line gets a permit, or 202 if an approver is asked. */
const status = async (text: string, by = agent, at = server) => (await askLine(at, by, text)).status;
const state = async ({ id }: GrantView) => (await server.call<GrantView>('GET', `/v1/grants/${id}`, owner)).body.state;

describe('an explanation', () => {
  const explain = async (text: string, more: object = {}) => {
    const request = lineRequest(text);
    const body = { request, findings: hostFactsFor(request), ...more };
    return (await server.call<ExplainAnswer & ErrorBody>('POST', '/v1/explain', agent.headers, body)).body;
  };

  it.each(['once', 'always'])(
    'names what is used next: a part of a plan or a grant for one line, of term %s',
    async (kind) => {
      const line = `touch ${kind}`;
      const exact = await pendingLine(server, agent, line);
      await server.decide(owner, exact.id, 'approve', { version: exact.version, term: { kind } });
      await approved([{ text: line }]);
      const explained = await explain(line);
      const asked = await askLine(server, agent, line);
      const used = asked.body.outcome === 'permitted' ? payloadOf(asked.body.permit).grantId : asked.body.outcome;
      expect(explained).toMatchObject({ outcome: 'covered', isExact: true, coveredBy: [{ grantId: used }] });
      expect(used === exact.id).toBe(kind === 'always');
    },
  );

  it('counts only what is sealed, for a host that takes only sealed approvals', async () => {
    const exact = await pendingLine(server, agent, 'touch unsealed');
    await server.decide(owner, exact.id, 'approve', { version: exact.version, term: { kind: 'always' } });
    await standing(server, agent, owner, 'git log', scopeFor());
    await approved([{ text: 'touch planned' }]);
    for (const line of ['touch unsealed', 'git log -3', 'touch planned']) {
      expect([line, await explain(line)]).toMatchObject([line, { outcome: 'covered' }]);
      expect([line, await explain(line, { sealedOnly: true })]).toMatchObject([line, { outcome: 'uncovered' }]);
    }
  });

  it('is refused as the line would be while the requester is paused', async () => {
    await approved([{ text: 'touch paused' }]);
    const pause = (verb: string, body?: object) =>
      server.call('POST', `/v1/requesters/${agent.id}/${verb}`, owner, body);
    await pause('pause', {});
    expect((await explain('touch paused')).error?.code).toBe('requester.paused');
    await pause('resume');
    expect(await explain('touch paused')).toMatchObject({ outcome: 'covered' });
  });
});

describe('the page of standing approvals', () => {
  it('says which parts of a plan are approved, how often each may be used, and which were struck out', async () => {
    const parts = [{ text: 'touch a', uses: 3 }, { text: 'touch b' }, { text: 'rm -rf build' }];
    const plan = await approved(parts, { 1: { uses: 2 }, 3: null });
    const { body } = await server.call<string>('GET', `/standing?text=${plan.id}`, await server.owner());
    expect(body.replace(/<[^>]*>/g, '')).toContain(
      'Approved parts: part 1, up to 2 times; part 2, once. Struck out: part 3.',
    );
    expect(body).toContain(`<a href="/grants/${plan.id}">How far each part reaches</a>`);
    expect(body.replace(/<[^>]*>/g, '')).toMatch(/ ends on 2026-11-\d\d \d\d:\d\d UTC/); // as it is read without scripts
  });

  it('says that no part was struck out, if that is so', async () => {
    const plan = await approved([{ text: 'touch a' }]);
    const { body } = await server.call<string>('GET', `/standing?text=${plan.id}`, await server.owner());
    expect(body.replace(/<[^>]*>/g, '')).toContain('Approved parts: part 1, once.');
    expect(body).not.toContain('Struck out');
  });
});

describe('what an approved plan covers', () => {
  it('is each line as often as it was approved, counted over two servers together', async () => {
    const plan = await approved([{ text: 'touch a', uses: 2 }, { text: 'touch b' }]);
    expect(await status('touch a')).toBe(200);
    expect(await status('touch a', agent, other)).toBe(200);
    expect(await status('touch a')).toBe(202);
    expect(await state(plan)).toBe('approved');
    expect(await status('touch b', agent, other)).toBe(200);
    expect(await state(plan)).toBe('used');
    expect(await status('touch b')).toBe(202);
  });

  it('is one use of a part that was approved once, even if four calls come at once', async () => {
    await approved([{ text: 'touch a' }, { text: 'touch b' }]);
    const both = await Promise.all([server, other, server, other].map((at) => status('touch a', agent, at)));
    expect(both.filter((each) => each === 200)).toHaveLength(1);
  });

  it('is only for its requester, only in its directory, and only the same bytes', async () => {
    await approved([{ text: 'touch a', uses: 9 }]);
    const stranger = await server.requester('stranger');
    expect(await status('touch a', stranger)).toBe(202);
    expect(await status('touch  a')).toBe(202);
    const elsewhere = await askLine(server, agent, 'touch a', { cwd: `${PROJECT}/src` });
    expect(elsewhere.status).toBe(202);
    expect(await status('touch a')).toBe(200);
  });

  it('is a kind of lines, as often in total as it was approved; each permit names the part', async () => {
    const plan = await approved([{ text: 'touch a' }, { text: 'cat src/a', as: 'reading', uses: 2 }]);
    const { body } = await askLine(server, agent, 'cat src/b');
    if (body.outcome !== 'permitted') throw new Error(JSON.stringify(body));
    expect(payloadOf(body.permit).coveredBy).toMatchObject([{ grantId: plan.id, part: 2 }]);
    // The line in the part is only an example of its kind: running that line is one of the uses too.
    const example = await askLine(other, agent, 'cat src/a');
    if (example.body.outcome !== 'permitted') throw new Error(JSON.stringify(example.body));
    expect(payloadOf(example.body.permit).coveredBy).toMatchObject([{ grantId: plan.id, part: 2 }]);
    expect(await status('cat src/d')).toBe(202);
    const exact = await askLine(server, agent, 'touch a');
    expect(exact.body.outcome === 'permitted' && payloadOf(exact.body.permit)).toMatchObject({
      grantId: plan.id,
      part: 1,
    });
  });

  it('is a single `echo` only if a part reads', async () => {
    await approved([{ text: 'touch a', as: 'operation', uses: 9 }]);
    expect(await status('echo x')).toBe(202);
    expect(await status('touch a')).toBe(200);
    await approved([{ text: 'cat src/a', as: 'reading', uses: 9 }]);
    expect(await status('echo y')).toBe(200);
  });

  it('is a line that needs two parts, which uses each of them once', async () => {
    const plan = await approved([
      { text: 'cat src/a', as: 'reading', uses: 5 },
      { text: 'touch a', as: 'operation', uses: 5 },
    ]);
    expect(await status('cat src/a && touch a')).toBe(200);
    expect((await sheetOf(plan.id)).map(({ used }) => used)).toEqual([1, 1]);
  });
});

describe('the order of a plan', () => {
  it('keeps each part waiting for the part before it, even an exact part, but not for a part that was struck out', async () => {
    await approved(
      [{ text: 'touch a', uses: 2 }, { text: 'touch b' }, { text: 'touch c' }],
      { 2: null },
      { order: true },
    );
    expect(await status('touch c')).toBe(202);
    expect(await status('touch a')).toBe(200);
    expect(await status('touch b')).toBe(202);
    expect(await status('touch c', agent, other)).toBe(200);
    expect(await status('touch a')).toBe(200);
  });

  it('keeps a part that is a kind of lines waiting', async () => {
    const parts = [{ text: 'touch a' }, { text: 'cat src/a', as: 'reading', uses: 3 }];
    await approved(parts, {}, { order: true });
    expect(await status('cat src/b')).toBe(202);
    expect(await status('touch a')).toBe(200);
    expect(await status('cat src/b')).toBe(200);
  });

  it('cannot be left out by an approver', async () => {
    const { body } = await filePlan(planOf([{ text: 'touch a' }, { text: 'touch b' }], { order: true }));
    const parts = (await sheetOf(body.grant.id)).map(({ part, fingerprint }) => ({
      part,
      fingerprint,
      scope: null,
      uses: 1,
    }));
    const answer = await give(body.grant, { order: false, parts });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'scope.unfit' } } });
  });
});

const give = (grant: GrantView, scope: object, term: object = { kind: 'timed', untilMs: nowMs + HOUR_MS }) =>
  server.decide(owner, grant.id, 'approve', { version: grant.version, term, scope: { kind: 'plan', ...scope } });

describe('an approver', () => {
  it('strikes out and narrows parts; a line that was left out needs an approval of its own', async () => {
    const parts = [{ text: 'touch a', uses: 3 }, { text: 'touch b' }, { text: 'cat src/a', as: 'reading', uses: 4 }];
    const plan = await approved(parts, { 1: { uses: 1 }, 2: null, 3: { offer: 'exact', uses: 2 } });
    expect(await status('touch a')).toBe(200);
    expect(await status('touch a')).toBe(202);
    expect(await status('touch b')).toBe(202);
    expect(await status('cat src/b')).toBe(202);
    expect(await status('cat src/a')).toBe(200);
    expect((await sheetOf(plan.id)).map((part) => part.state)).toEqual(['done', 'struck', 'next']);
  });

  it.each([
    ['more uses than were asked for', (part: object) => [{ ...part, uses: 3 }]],
    ['another line', (part: object) => [{ ...part, fingerprint: 'f'.repeat(64) }]],
    ['a missing part', (part: object) => [{ ...part, part: 2 }]],
    ['a part twice', (part: object) => [part, part]],
    ['a scope that was not asked for', (part: object) => [{ ...part, scope: scopeFor() }]],
  ])('cannot approve %s', async (_, change) => {
    const { body } = await filePlan(planOf([{ text: 'touch a', uses: 2 }]));
    const [sheet] = await sheetOf(body.grant.id);
    const parts = change({ part: 1, fingerprint: sheet?.fingerprint, scope: null, uses: 2 });
    const answer = await give(body.grant, { order: false, parts });
    expect([answer.status, await state(body.grant)]).toEqual([422, 'pending']);
    expect(await status('touch a')).toBe(202);
  });

  it('approves a plan only for a time and by its parts, and no other request by parts', async () => {
    const { body } = await filePlan(planOf([{ text: 'touch a' }]));
    const [sheet] = await sheetOf(body.grant.id);
    const parts = [{ part: 1, fingerprint: sheet?.fingerprint, scope: null, uses: 1 }];
    for (const term of [{ kind: 'always' }, { kind: 'once' }])
      expect((await give(body.grant, { order: false, parts }, term)).status).toBe(422);
    const whole = { version: 1, term: { kind: 'timed', untilMs: nowMs + HOUR_MS } };
    expect((await server.decide(owner, body.grant.id, 'approve', whole)).status).toBe(422);
    const line = await askLine(server, agent, 'touch z');
    if (line.body.outcome !== 'pending') throw new Error('not pending');
    expect((await give(line.body.grant, { order: false, parts })).status).toBe(422);
    expect(await state(body.grant)).toBe('pending');
  });
});

describe('a plan ends', () => {
  it('when its time is over', async () => {
    const plan = await approved([
      { text: 'touch a', uses: 9 },
      { text: 'cat src/a', as: 'reading', uses: 9 },
    ]);
    expect(await status('touch a')).toBe(200);
    nowMs += HOUR_MS;
    agent = await server.signedIn(agent.id, agent.privateKey);
    owner = (await server.approverKey()).headers;
    expect(await status('touch a')).toBe(202);
    expect(await status('cat src/a')).toBe(202);
    expect(await state(plan)).toBe('expired');
  });

  it('if its requester says that it is done; no other requester can end it', async () => {
    const plan = await approved([
      { text: 'touch a', uses: 9 },
      { text: 'cat src/a', as: 'reading', uses: 9 },
    ]);
    const stranger = await server.requester('stranger');
    expect((await server.call('POST', `/v1/plans/${plan.id}/done`, stranger.headers)).status).not.toBe(200);
    expect(await status('touch a')).toBe(200);
    expect((await server.call('POST', `/v1/plans/${plan.id}/done`, agent.headers)).status).toBe(200);
    for (const at of [server, other]) expect(await status('touch a', agent, at)).toBe(202);
    for (const at of [server, other]) expect(await status('cat src/a', agent, at)).toBe(202);
  });

  it('if an approver revokes it, at once on every server', async () => {
    const plan = await approved([
      { text: 'touch a', uses: 9 },
      { text: 'cat src/a', as: 'reading', uses: 9 },
    ]);
    expect(await status('cat src/a', agent, other)).toBe(200);
    const { version } = (await server.call<GrantView>('GET', `/v1/grants/${plan.id}`, owner)).body;
    expect((await server.decide(owner, plan.id, 'revoke', { version })).status).toBe(200);
    for (const at of [other, server]) expect(await status('touch a', agent, at)).toBe(202);
    for (const at of [other, server]) expect(await status('cat src/a', agent, at)).toBe(202);
  });

  it('before it is decided, if its end has already passed', async () => {
    const { body } = await filePlan(planOf([{ text: 'touch a' }], { end: { untilMs: nowMs + 1_000 } }));
    nowMs += 1_000;
    expect(await state(body.grant)).toBe('expired');
  });

  it('for a line that a later rule forbids; a plan with a forbidden line is not filed', async () => {
    const rule: PolicyBody = { effect: 'deny', requesterId: agent.id, text: 'touch*', pattern: null, reason: 'no' };
    await approved([{ text: 'touch a', uses: 9 }]);
    const made = await server.call<{ id: string } & ErrorBody>('POST', '/v1/policies', owner, rule);
    expect([made.status, made.body]).toEqual([200, made.body]);
    const refused = await filePlan(planOf([{ text: 'ls' }, { text: 'touch b' }]));
    expect(refused.body).toMatchObject({
      error: { code: 'policy.denied', message: expect.stringContaining('part 2') },
    });
    const audit = await server.call<{ events: readonly { kind: string; facts: object }[] }>(
      'GET',
      '/v1/audit?limit=1000',
      owner,
    );
    const vetoes = audit.body.events.filter(({ kind }) => kind === 'policy.vetoed');
    expect(vetoes.map(({ facts }) => facts)).toContainEqual(
      expect.objectContaining({ policyId: made.body.id, line: 'touch b' }),
    );
    expect(await status('touch a')).not.toBe(200);
    await server.call('DELETE', `/v1/policies/${made.body.id}`, owner);
  });
});

describe('a plan that is filed', () => {
  it('a second time is the same grant while it still covers something; a plan that is used up is asked for again', async () => {
    const plan = planOf([{ text: 'touch a', uses: 2 }]);
    const first = await filePlan(plan);
    expect(await filePlan(plan, agent, other)).toMatchObject({
      status: 202,
      body: { grant: { id: first.body.grant.id } },
    });
    await approve(first.body.grant);
    expect(await filePlan(plan)).toMatchObject({ status: 200, body: { grant: { id: first.body.grant.id } } });
    await status('touch a');
    await status('touch a');
    const again = await filePlan(plan);
    expect(again.status).toBe(202);
    expect(again.body.grant.id).not.toBe(first.body.grant.id);
  });

  it('covers nothing before it is approved, and cannot be redeemed as a whole afterwards', async () => {
    const { body } = await filePlan(planOf([{ text: 'touch a' }]));
    expect(await status('touch a')).toBe(202);
    await approve(body.grant);
    const whole = await server.redeem(agent, body.grant);
    expect(whole).toMatchObject({ status: 409, body: { error: { code: 'plan.by_parts' } } });
  });

  it('without a seal is useless to a host that takes only sealed approvals', async () => {
    await approved([
      { text: 'touch a', uses: 9 },
      { text: 'cat src/a', as: 'reading', uses: 9 },
    ]);
    expect(await status('cat src/b')).toBe(200);
    for (const text of ['touch a', 'cat src/a']) {
      const request = lineRequest(text);
      const body = { request, nonce: nonce(), findings: hostFactsFor(request), sealedOnly: true };
      expect((await server.call('POST', '/v1/requests', agent.headers, body)).status).toBe(202);
    }
    // The plan still counts for the same requester's calls that take approvals without a seal.
    expect(await status('cat src/b')).toBe(200);
  });

  it('by such a host is approved only with a seal, and is another grant than the same plan without that demand', async () => {
    const plan = planOf([{ text: 'touch a', uses: 9 }]);
    await approve((await filePlan(plan)).body.grant);
    const { status: filed, body } = await filePlan(plan, agent, server, { sealedOnly: true, pin: 'own' });
    expect([filed, body.grant.sealedOnly, body.grant.pin]).toEqual([202, true, 'own']);
    const [part] = await sheetOf(body.grant.id);
    const parts = [{ part: 1, fingerprint: part?.fingerprint, scope: null, uses: 9 }];
    const sent = { version: 1, term: { kind: 'timed', forMs: HOUR_MS }, scope: { kind: 'plan', order: false, parts } };
    const refused = await server.decide(owner, body.grant.id, 'approve', sent);
    expect(refused.body).toMatchObject({ error: { code: 'seal.needed' } });
  });

  it('needs the number of the terminal if one part is dangerous or opaque', async () => {
    const low = await filePlan(planOf([{ text: 'cat src/a' }]));
    const high = await filePlan(planOf([{ text: 'cat src/a' }, { text: 'rm -rf build' }]));
    const unread = await filePlan(planOf([{ text: 'cat src/a' }, { text: 'eval "$x"' }]));
    const hasNumber = [low, high, unread].map(({ body }) => body.grant.match !== undefined);
    expect(hasNumber).toEqual([false, true, true]);
  });

  it('is refused if the scope that a part asks for cannot be offered', async () => {
    const wishes = [
      { text: 'eval "$x"', as: 'reading' },
      { text: 'touch a', as: 'reading-any' },
      { text: 'cat src/a', as: 'reading', paths: ['/etc'] },
    ];
    for (const wish of wishes)
      expect(await filePlan(planOf([wish]))).toMatchObject({ status: 422, body: { error: { code: 'plan.unfit' } } });
  });

  it('with paths covers only what is below these paths, and nothing that it would not cover without them', async () => {
    await approved([{ text: 'cat src/a', as: 'reading', uses: 9, paths: [`${PROJECT}/src`, '/etc'] }]);
    expect(await status('cat /etc/hosts')).toBe(202);
    const outside = await filePlan(planOf([{ text: 'touch a', as: 'narrow', paths: [`${PROJECT}/src`] }]));
    expect(outside).toMatchObject({ status: 422, body: { error: { code: 'plan.unfit' } } });
    agent = await server.requester();
    await approved([{ text: 'cat src/a', as: 'reading', uses: 9, paths: [`${PROJECT}/src`] }]);
    expect(await status('cat src/b')).toBe(200);
    expect(await status('cat docs/b')).toBe(202);
  });

  it('is used before a standing approval, so that the next part does not have to wait', async () => {
    await standing(server, agent, owner, 'git log', scopeFor());
    const plan = await approved(
      [{ text: 'git log', as: 'operation', uses: 2 }, { text: 'touch a' }],
      {},
      { order: true },
    );
    expect(await status('git log')).toBe(200);
    expect((await sheetOf(plan.id))[0]?.used).toBe(1);
    expect(await status('touch a')).toBe(200);
  });

  it('lists on its sheet what ran for each part, and shows the sheet to no other requester', async () => {
    const plan = await approved([
      { text: 'touch a', uses: 2 },
      { text: 'cat src/a', as: 'reading', uses: 2 },
    ]);
    await status('touch a');
    await status('cat src/b');
    const sheet = await sheetOf(plan.id);
    expect(sheet.map(({ used, runs }) => [used, runs.map(({ line }) => line)])).toEqual([
      [1, ['touch a']],
      [1, ['cat src/b']],
    ]);
    const stranger = await server.requester('stranger');
    expect((await server.call('GET', `/v1/plans/${plan.id}`, stranger.headers)).status).toBe(403);
  });
});
