/**
 * `apes grants approve` signs what the person asked for on this device, whatever document or sheet a server that an attacker
 * controls sends.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import { partRequest, planText } from '../../src/core/plan/plan.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import type { Plan } from '../../src/core/wire/plan.ts';
import type { DecisionDocument } from '../../src/core/wire/sealed.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { GRANT_ID, HostileServer, REQUESTER_ID, touchScope } from './hostile-server.ts';

const server = new HostileServer();
beforeAll(() => server.open());
afterAll(() => server.close());

const fingerprintOf = (request: ExecutionRequest) => sha256Hex(canonicalRequest(request));
const place = { cwd: '/home/agent', host: currentHost(), user: currentUser(), environment: [] };
const request: ExecutionRequest = { kind: 'command', text: 'touch ran', argv: ['-c', 'touch ran'], ...place };

const grantOf = (asked: ExecutionRequest) => ({
  id: GRANT_ID,
  version: 1,
  state: 'pending',
  requesterId: REQUESTER_ID,
  requesterName: 'agent',
  request: asked,
  fingerprint: fingerprintOf(asked),
  reason: null,
  proposedTerm: { kind: 'once' },
  term: null,
  scope: null,
  confinement: null,
  touches: null,
  denyReason: null,
  url: 'http://127.0.0.1/',
  createdAtMs: Date.now(),
  expiresAtMs: Date.now() + 900_000,
});

/** What was signed here, as it was sent. */
let signed: DecisionDocument[] = [];

/** @param lie changes the document of exactly what the person asked for */
function serve(asked: ExecutionRequest, lie: (document: DecisionDocument) => object = () => ({})) {
  signed = [];
  server.grant = grantOf(asked);
  server.answers = {
    [`/v1/grants/${GRANT_ID}/approval-document`]: (body) => {
      const { term, scope = null } = body as unknown as Pick<DecisionDocument, 'term' | 'scope'>;
      const honest = server.decision({ request: asked, fingerprint: fingerprintOf(asked) }, { term, scope });
      const keys = [{ keyId: server.firstList.seal.keyId, kind: 'ed25519', name: 'the owner' }];
      return { document: { ...honest, ...lie(honest) }, keys };
    },
    [`/v1/grants/${GRANT_ID}/approve`]: (body) => {
      const { sealed } = body as { sealed?: { document: DecisionDocument } };
      if (sealed !== undefined) signed.push(sealed.document);
      return { ...grantOf(asked), state: 'approved', term: { kind: 'once' } };
    },
  };
}

async function signsNothing(detail: string, ...options: readonly string[]) {
  const { status, err } = await server.approve(...options);
  expect({ status, signed, err }).toEqual({ status: 76, signed: [], err: expect.stringContaining(detail) });
}

describe('a request', () => {
  it('is signed as it was shown and asked for', async () => {
    serve(request);
    expect(await server.approve()).toMatchObject({ status: 0 });
    expect(signed).toMatchObject([{ fingerprint: fingerprintOf(request), term: { kind: 'once' }, scope: null }]);
  });

  it.each([
    ['another request', () => ({ fingerprint: 'f'.repeat(64) })],
    ['another requester', () => ({ requesterId: 's_other' })],
    ['another host', () => ({ host: 'other' })],
    ['another grant', () => ({ grantId: `g_${'b'.repeat(26)}` })],
    ['another server', () => ({ server: 'x'.repeat(43) })],
    ['another term', () => ({ term: { kind: 'always' }, expiresAtMs: null })],
    ['a later end', ({ expiresAtMs }: DecisionDocument) => ({ expiresAtMs: (expiresAtMs ?? 0) + 1 })],
    ['a scope', () => ({ scope: touchScope(request, '/') })],
    ['a confinement', () => ({ confinement: { level: 1 } })],
    ['a moment a day ago', () => ({ decidedAtMs: Date.now() - 86_400_000 })],
    ['a member more', () => ({ more: true })],
  ])('is not signed as one of %s', async (_, lie) => {
    serve(request, lie);
    await signsNothing('another decision');
  });
});

it('nothing is signed of a request in whose place the server has shown another one', async () => {
  const [looked, signedNow] = [request, { ...request, text: 'touch evil', argv: ['-c', 'touch evil'] }];
  const inbox = { '/v1/grants?state=pending&limit=200': () => ({ grants: [grantOf(looked)] }) };
  const why = {
    [`/v1/grants/${GRANT_ID}/why`]: () => ({
      grant: grantOf(looked),
      decidedBy: null,
      assessment: null,
      proposals: [],
      coverable: { isCoverable: false, advice: [] },
      uses: [],
    }),
  };
  for (const [shown, ...args] of [
    [inbox, 'grants', 'inbox'],
    [why, 'grants', 'show', GRANT_ID],
  ] as const) {
    server.forget();
    serve(signedNow);
    server.answers = { ...server.answers, ...shown };
    expect(await server.asOwner(...args)).toMatchObject({ status: 0, out: expect.stringContaining('touch ran') });
    await signsNothing('another request under this id');
    serve(looked);
    expect(await server.approve()).toMatchObject({ status: 0 });
  }
  server.forget();
});

it('nothing is signed of another grant than the one that was named', async () => {
  serve(request);
  server.grant = { ...grantOf(request), id: `g_${'c'.repeat(26)}` };
  await signsNothing('another grant');
});

it('what was signed is shown, whatever the server answers', async () => {
  serve(request);
  const proposal = { id: 'operation', title: 'touch below /home/agent', scope: touchScope(request, '/'), held: null };
  server.answers = {
    ...server.answers,
    [`/v1/grants/${GRANT_ID}/proposals`]: () => ({ assessment: null, proposals: [proposal] }),
    [`/v1/grants/${GRANT_ID}/approve`]: () => ({
      ...grantOf({ ...request, text: 'touch something else' }),
      state: 'approved',
      term: { kind: 'timed', untilMs: Date.now() + 60_000 },
    }),
  };
  const { status, out } = await server.approve('--term', 'always', '--as', 'operation');
  expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/command +touch ran\n/) });
  expect(out).toMatch(/covers +touch .*always/);
});

describe('a plan', () => {
  const plan: Plan = {
    order: true,
    end: { forMs: 3_600_000 },
    parts: [
      { text: 'touch one', cwd: '/home/agent', as: 'exact', uses: 1 },
      { text: 'touch two', cwd: '/home/agent', as: 'operation', uses: 2 },
    ],
  };
  const whole: ExecutionRequest = { kind: 'plan', text: planText(plan), argv: [], ...place, plan };
  const wide = touchScope(request, '/') as CommandScope;
  const offer = (id: string, scope: CommandScope | null = null) => ({ id, title: id, scope, held: null });
  const [first, second] = plan.parts.map((part, at) => ({
    part: at + 1,
    text: part.text,
    cwd: part.cwd,
    as: part.as,
    wantedUses: part.uses,
    fingerprint: fingerprintOf(partRequest(whole, part)),
    risk: 'medium',
    assessment: null,
    offers: at === 0 ? [offer('exact')] : [offer('exact'), offer('operation', wide)],
    given: null,
    state: 'asked',
    used: 0,
    runs: [],
  }));
  const showing = (...parts: readonly unknown[]) => {
    server.answers = { ...server.answers, [`/v1/plans/${GRANT_ID}`]: () => ({ parts }) };
  };
  beforeEach(() => serve(whole));

  it('is signed part by part, as it was asked for', async () => {
    showing(first, second);
    expect(await server.approve()).toMatchObject({ status: 0 });
    expect(signed).toMatchObject([
      {
        scope: {
          order: true,
          parts: [
            { part: 1, scope: null, uses: 1 },
            { part: 2, scope: wide, uses: 2 },
          ],
        },
      },
    ]);
  });

  it.each([
    ['more uses than it asks for', () => [{ ...first, wantedUses: 1_000 }, second], []],
    [
      'a scope in place of an exact line',
      () => [{ ...first, offers: [offer('exact'), offer('any', wide)] }, second],
      [],
    ],
    [
      'a wide scope under the name of the exact line',
      () => [first, { ...second, offers: [offer('exact', wide)] }],
      ['--narrow', '2=exact'],
    ],
    ['another kind of lines than it asks for', () => [{ ...first, as: 'operation' }, second], []],
    ['its parts in another order', () => [second, first], []],
    ['a part twice', () => [first, second, second], []],
    ['a part less', () => [first], []],
  ])('is not signed with %s', async (_, parts, options) => {
    showing(...parts());
    await signsNothing('nothing is signed', ...options);
  });
});
