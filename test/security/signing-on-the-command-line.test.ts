/**
 * Threat: an attacker who controls the server sends another document or sheet to sign. `apes grants approve` signs only what the
 * person asked for on this device.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalRequest, type ExecutionRequest } from '../../src/core/grant/request.ts';
import { partRequest, planText } from '../../src/core/plan/plan.ts';
import type { CommandScope } from '../../src/core/scope/command-scope.ts';
import type { Plan, PlanPart } from '../../src/core/wire/plan.ts';
import type { DecisionDocument } from '../../src/core/wire/sealed.ts';
import { sha256Hex } from '../../src/platform/digest.ts';
import { currentHost, currentUser } from '../../src/platform/surroundings.ts';
import { GRANT_ID, HostileServer, REQUESTER_ID, touchScope } from './hostile-server.ts';

const server = new HostileServer();
beforeAll(() => server.open());
beforeEach(() => server.forget());
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

const whyOf = (asked: ExecutionRequest) => ({
  grant: grantOf(asked),
  decidedBy: null,
  assessment: null,
  proposals: [],
  coverable: { isCoverable: false, advice: [] },
  uses: [],
});

/** The sealed documents that this device has sent. */
let signed: DecisionDocument[] = [];

/**
 * Lets the server answer about this request.
 * @param lie the members that the server changes in the document to sign
 */
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
    [`/v1/grants/${GRANT_ID}/why`]: () => whyOf(asked),
    '/v1/grants?state=pending&limit=200': () => ({ grants: [grantOf(asked)] }),
    [`/v1/grants/${GRANT_ID}/approve`]: (body) => {
      const { sealed } = body as { sealed?: { document: DecisionDocument } };
      if (sealed !== undefined) signed.push(sealed.document);
      return { ...grantOf(asked), state: 'approved', term: { kind: 'once' } };
    },
  };
}

/** Shows the request to the person as the server sends it now: `apes grants show`, or the verb of `args`. */
async function look(...args: readonly string[]) {
  const verb = args.length === 0 ? ['grants', 'show', GRANT_ID] : args;
  expect(await server.asOwner(...verb)).toMatchObject({ status: 0 });
}

async function signsNothing(detail: string, ...options: readonly string[]) {
  const { status, err } = await server.approve(...options);
  expect({ status, signed, err }).toEqual({ status: 76, signed: [], err: expect.stringContaining(detail) });
}

describe('a request', () => {
  it('is signed as it was shown, and with the term that the person asked for', async () => {
    serve(request);
    await look();
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
    ['an additional member', () => ({ more: true })],
  ])('is not signed if the document is for %s', async (_, lie) => {
    serve(request, lie);
    await look();
    await signsNothing('another decision');
  });
});

it('a request is not signed if the server has shown another one in its place', async () => {
  const [looked, signedNow] = [request, { ...request, text: 'touch evil', argv: ['-c', 'touch evil'] }];
  for (const args of [
    ['grants', 'inbox'],
    ['grants', 'inbox', '--json'],
    ['grants', 'show', GRANT_ID],
    ['grants', 'show', GRANT_ID, '--json'],
  ]) {
    server.forget();
    serve(looked);
    expect(await server.asOwner(...args)).toMatchObject({ status: 0, out: expect.stringContaining('touch ran') });
    serve(signedNow);
    await signsNothing('differs from the one that this device has shown for this id');
    serve(looked);
    await look();
    expect(await server.approve()).toMatchObject({ status: 0 });
  }
});

describe('a request that this device has not shown', () => {
  const refused = { status: 64, err: expect.stringContaining('this device has not shown the request') };

  it('is not signed without a terminal, also if only its row in a list was shown', async () => {
    serve(request);
    expect(await server.approve()).toMatchObject(refused);
    await look('grants', 'inbox');
    expect(await server.approve()).toMatchObject(refused);
    await look('grants', 'status', GRANT_ID);
    expect([(await server.approve()).status, signed]).toEqual([64, []]);
  });

  it.each([
    ['grants', 'show', GRANT_ID],
    ['grants', 'show', GRANT_ID, '--json'],
    ['grants', 'inbox', '--json'],
  ])('is signed after apes %s %s %s', async (...args) => {
    serve(request);
    await look(...args.filter((word) => word !== undefined));
    expect([(await server.approve()).status, signed.length]).toEqual([0, 1]);
  });

  it('is signed with the beginning of its fingerprint, which apes grants show prints', async () => {
    const own = fingerprintOf(request);
    serve(request);
    const { out } = await server.asOwner('grants', 'show', GRANT_ID);
    expect(out).toMatch(new RegExp(`^fingerprint: +${own}$`, 'm'));
    server.forget();
    const other = fingerprintOf({ ...request, text: 'touch evil' });
    for (const [given, status] of [
      [other, 76],
      [`${own.slice(0, 31)}${own[31] === '0' ? '1' : '0'}`, 76],
      [own.slice(0, 31), 64],
      ['', 64],
    ] as const)
      expect([(await server.approve('--fingerprint', given)).status, signed]).toEqual([status, []]);
    expect((await server.approve('--fingerprint', own.slice(0, 32).toUpperCase())).status).toBe(0);
    expect(signed).toMatchObject([{ fingerprint: own }]);
  });

  it('is shown on a terminal, and signed if the person says yes', async () => {
    serve(request);
    const no = server.approveOnTerminal();
    const shown = await no.see(/Sign this approval\? \[y\/N\] /);
    expect(shown).toMatch(/requester: +agent[\s\S]+directory: +\/home\/agent\n[\s\S]+command: +touch ran\n/);
    expect(shown).toMatch(/to sign: +touch ran\nin: +\/home\/agent [\s\S]+covers: +exactly this, once\n/);
    no.type('\r');
    expect([await no.end(), signed]).toEqual([77, []]);
    const yes = server.approveOnTerminal();
    await yes.see(/\[y\/N\] /);
    yes.type('y\r');
    await yes.see(/approved/);
    expect([await yes.end(), signed.length]).toEqual([0, 1]);
    const again = server.approveOnTerminal();
    expect([await again.end(), signed.length, again.text.includes('Sign')]).toEqual([0, 2, false]);
  });

  it('has a warning above the question, if letters of it only look like a-z', async () => {
    serve({ ...request, text: 'touch r\u0435act', argv: ['-c', 'touch r\u0435act'] });
    const terminal = server.approveOnTerminal();
    const shown = await terminal.see(/Sign this approval\? \[y\/N\] /);
    expect(shown).toMatch(/to sign: .*\n +Letters that are not what they look like: \u0435 is U\+0435, not e\nin: /);
    terminal.type('\r');
    expect([await terminal.end(), signed]).toEqual([77, []]);
  });

  it('is shown on a terminal by its own text, even if the explanation of the server is about another request', async () => {
    serve(request);
    server.answers = {
      ...server.answers,
      [`/v1/grants/${GRANT_ID}/why`]: () => whyOf({ ...request, text: 'ls', argv: ['-c', 'ls'] }),
    };
    const terminal = server.approveOnTerminal();
    expect(await terminal.see(/\[y\/N\] /)).toMatch(/command: +touch ran\n/);
    terminal.type('\x04');
    expect([await terminal.end(), signed]).toEqual([77, []]);
  });
});

describe('a scope that the server offers', () => {
  const offering = (scope: unknown) => {
    const proposal = { id: 'operation', title: 'touch below /home/agent', scope, held: null };
    const wouldHaveCovered = { count: 0, of: 0, samples: [] };
    server.answers = {
      ...server.answers,
      [`/v1/grants/${GRANT_ID}/proposals`]: () => ({
        assessment: null,
        proposals: [{ ...proposal, wouldHaveCovered }],
      }),
    };
  };
  const wide = touchScope(request, '/') as CommandScope;
  const options = ['--term', 'always', '--as', 'operation'];

  it('is signed only after this device has shown what it covers, in its own words and not by the title of the server', async () => {
    serve(request);
    await look();
    offering(touchScope(request, '/home/agent'));
    await look('grants', 'proposals', GRANT_ID);
    offering(wide);
    const unseen = { status: 64, err: expect.stringContaining('has not shown how far the approval reaches') };
    expect(await server.approve(...options)).toMatchObject(unseen);
    expect(await server.approve(...options, '--fingerprint', fingerprintOf(request))).toMatchObject(unseen);
    expect(signed).toEqual([]);
    const { out } = await server.asOwner('grants', 'proposals', GRANT_ID);
    expect(out).toMatch(/covers: touch with any options, reading and writing below \/, on host/);
    expect(await server.approve(...options)).toMatchObject({ status: 0 });
    expect(signed).toMatchObject([{ scope: wide }]);
  });

  it('is shown on a terminal before it is signed', async () => {
    serve(request);
    await look();
    offering(wide);
    const terminal = server.approveOnTerminal(...options);
    expect(await terminal.see(/\[y\/N\] /)).toMatch(
      /covers: +touch with any options[^\n]* below \/, on host [^\n]*always/,
    );
    terminal.type('n\r');
    expect([await terminal.end(), signed]).toEqual([77, []]);
  });

  it('is not signed with another confinement than this device has shown', async () => {
    const held = { level: 3, read: ['/home/agent'], write: [], execute: [], connect: [], readOnly: [], tools: [] };
    const exact = { id: 'exact', title: 'exactly this', scope: null, held };
    const wouldHaveCovered = { count: 0, of: 0, samples: [] };
    const confinedTo = (confinement: object) => {
      serve(request, () => ({ confinement }));
      server.answers = {
        ...server.answers,
        [`/v1/grants/${GRANT_ID}/proposals`]: () => ({ assessment: null, proposals: [{ ...exact, wouldHaveCovered }] }),
      };
    };
    confinedTo(held);
    await look();
    await look('grants', 'proposals', GRANT_ID);
    confinedTo({ ...held, write: ['/'] });
    expect([(await server.approve('--confined')).status, signed]).toEqual([64, []]);
    const terminal = server.approveOnTerminal('--confined');
    expect(await terminal.see(/\[y\/N\] /)).toMatch(/held to: +reads \/home\/agent; writes \/; /);
    terminal.type('\r');
    expect([await terminal.end(), signed]).toEqual([77, []]);
    confinedTo(held);
    expect((await server.approve('--confined')).status).toBe(0);
    expect(signed).toMatchObject([{ confinement: held }]);
  });

  it.each([
    ['another host', { ...wide, conditions: { ...wide.conditions, host: 'other' } }],
    ['another user', { ...wide, conditions: { ...wide.conditions, user: 'other' } }],
    [
      'other variables',
      { ...wide, conditions: { ...wide.conditions, environment: [{ name: 'LD_PRELOAD', value: '/tmp/x.so' }] } },
    ],
    ['file operations', { operations: ['write'], pathPrefix: '/' }],
    ['addresses', { kind: 'fetch', origins: ['https://example.org'] }],
    ['a plan', { kind: 'plan', order: false, parts: [{ part: 1, fingerprint: 'f'.repeat(64), scope: null, uses: 1 }] }],
  ])('is not signed if it is for %s', async (_, scope) => {
    serve(request);
    await look();
    offering(scope);
    await look('grants', 'proposals', GRANT_ID);
    await signsNothing('a scope that is not for this request', ...options);
  });
});

it('nothing is signed if the server answers with another grant than the named one', async () => {
  serve(request);
  server.grant = { ...grantOf(request), id: `g_${'c'.repeat(26)}` };
  await signsNothing('another grant');
});

it('after the signature the device shows the signed request and scope, whatever the server answers', async () => {
  serve(request);
  const proposal = { id: 'operation', title: 'touch below /home/agent', scope: touchScope(request, '/'), held: null };
  const wouldHaveCovered = { count: 0, of: 0, samples: [] };
  server.answers = {
    ...server.answers,
    [`/v1/grants/${GRANT_ID}/proposals`]: () => ({ assessment: null, proposals: [{ ...proposal, wouldHaveCovered }] }),
    [`/v1/grants/${GRANT_ID}/approve`]: () => ({
      ...grantOf({ ...request, text: 'touch something else' }),
      state: 'approved',
      term: { kind: 'timed', untilMs: Date.now() + 60_000 },
    }),
  };
  await look();
  await look('grants', 'proposals', GRANT_ID);
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
  const whole: ExecutionRequest = { kind: 'plan', text: planText(plan, place.cwd), argv: [], ...place, plan };
  const wide = touchScope(request, '/') as CommandScope;
  const elsewhere = { ...wide, conditions: { ...wide.conditions, host: 'other' } };
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
    await look();
    expect(await server.approve()).toMatchObject({ status: 64, err: expect.stringContaining('plan show') });
    await look('plan', 'show', GRANT_ID, '--part', '1');
    expect([(await server.approve()).status, signed]).toEqual([64, []]);
    const { out } = await server.asOwner('plan', 'show', GRANT_ID);
    expect(out).toContain('operation covers: touch with any options, reading and writing below /, on host');
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

  it('is not signed if the text that was shown does not contain its parts', async () => {
    const evil = { ...plan, parts: [{ ...plan.parts[0], text: 'touch evil' }] } as Plan;
    serve({ ...whole, plan: evil });
    await look();
    showing({
      ...first,
      text: 'touch evil',
      fingerprint: fingerprintOf(partRequest(whole, evil.parts[0] as PlanPart)),
    });
    await signsNothing('nothing is signed');
  });

  it('is shown only with each of its parts, once and in order', async () => {
    for (const parts of [[first], [first, first], [second, first], [first, second, second], []]) {
      showing(...parts);
      const { status, err } = await server.asOwner('plan', 'show', GRANT_ID);
      expect([parts.length, status, err]).toEqual([parts.length, 76, expect.stringContaining('another plan')]);
    }
  });

  it('is not narrowed to no use', async () => {
    await look();
    showing(first, second);
    await server.asOwner('plan', 'show', GRANT_ID);
    for (const uses of ['0', '00', '-1', '01'])
      expect(await server.approve('--narrow', `2=${uses}`)).toMatchObject({
        status: 64,
        err: expect.stringContaining(`--narrow: 2=${uses} does not fit this plan`),
      });
    expect(signed).toEqual([]);
  });

  it('is shown with the directory of each part, and its end', async () => {
    serve({ ...whole, plan: { ...plan, parts: plan.parts.map((part) => ({ ...part, cwd: '/etc' })) } });
    const { out } = await server.asOwner('grants', 'show', GRANT_ID);
    expect(out).toMatch(/^ends: +for 1 h from the approval\ndirectory of part 1: +\/etc\n/m);
  });

  it.each([
    ['more uses than the plan asks for', () => [{ ...first, wantedUses: 1_000 }, second], []],
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
    ['another kind of lines than the plan asks for', () => [{ ...first, as: 'operation' }, second], []],
    ['its parts in another order', () => [second, first], []],
    ['a part twice', () => [first, second, second], []],
    ['a part missing', () => [first], []],
    [
      'a scope for another host',
      () => [first, { ...second, offers: [offer('exact'), offer('operation', elsewhere)] }],
      [],
    ],
  ])('is not signed with %s', async (_, parts, options) => {
    await look();
    showing(...parts());
    await signsNothing('nothing is signed', ...options);
  });
});
