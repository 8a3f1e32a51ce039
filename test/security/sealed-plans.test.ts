/** An attacker who controls the server cannot add a part to a sealed plan, use a part more often or before its turn, or make it last longer. */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandScope, PlanScope } from '../../src/core/scope/command-scope.ts';
import { type Asked, GRANT_ID, HostileServer, type Lie, newSealer, sealed, touchScope } from './hostile-server.ts';

const server = new HostileServer();
const { owner } = server;
beforeAll(() => server.open());
afterAll(() => server.close());
beforeEach(() => {
  server.forget();
  server.pin(server.firstList);
});

const HOUR_MS = 3_600_000;
const place = () => join(server.directory, 'work');
const OTHER = 'f'.repeat(64);

/** Part 1 is exactly the request, part 2 is `touch` below the directory, part 3 is another line. */
const planFor = ({ request, fingerprint }: Asked, more: Partial<PlanScope> = {}): PlanScope => ({
  kind: 'plan',
  order: false,
  parts: [
    { part: 1, fingerprint, scope: null, uses: 2 },
    { part: 2, fingerprint: OTHER, scope: touchScope(request, place()) as CommandScope, uses: 2 },
    { part: 3, fingerprint: OTHER, scope: null, uses: 1 },
  ],
  ...more,
});

/** Returns a function that makes the signed plan at its first call, and returns the same document at each later call. */
function signedPlan(planOf: (asked: Asked) => PlanScope = planFor, untilMs = Date.now() + HOUR_MS, by = owner) {
  let kept: ReturnType<typeof sealed<ReturnType<HostileServer['decision']>>> | null = null;
  return (asked: Asked) => {
    const plan = { request: asked.request, fingerprint: 'e'.repeat(64) };
    kept ??= sealed(server.decision(plan, { term: { kind: 'timed', untilMs }, scope: planOf(asked) }), by);
    return kept;
  };
}
type Signed = ReturnType<typeof signedPlan>;

const exactly =
  (signed: Signed, part: unknown = 1): Lie =>
  (asked) => ({ part: part as number, seals: [signed(asked)] });

const widely =
  (signed: Signed, part: unknown = 2): Lie =>
  (asked) => {
    const level = asked.body.findings?.confinementLevel ?? 0;
    const all = { level, read: ['/'], write: ['/'], execute: ['/'], connect: 'any', readOnly: [], tools: [] };
    return {
      coveredBy: [{ grantId: GRANT_ID, title: 'anything', part: part as number }],
      confinement: (level === 0 ? { level: 0 } : all) as never,
      seals: [signed(asked)],
    };
  };

const refuses = (lie: Lie, detail: string, text?: string) => server.refuses(lie, detail, text);
const runs = async (lie: Lie) => expect(await server.command(lie)).toMatchObject({ status: 0, hasRun: true });

describe('a sealed plan', () => {
  it('runs its exact line as often as was signed, and no more', async () => {
    const signed = signedPlan();
    await runs(exactly(signed));
    await runs(exactly(signed));
    await refuses(exactly(signed), 'used up on this host');
  });

  it('runs its exact line as often as was signed, although the plan was signed again with another end', async () => {
    const [signed, again] = [signedPlan(), signedPlan(planFor, Date.now() + 2 * HOUR_MS)];
    await runs(exactly(signed));
    await runs(exactly(again));
    await refuses(exactly(signed), 'used up on this host');
    await refuses(exactly(again), 'used up on this host');
  });

  it('runs a line that a wider part covers by the assessment of this host, confined and as often as was signed', async () => {
    const signed = signedPlan();
    const first = await server.command(widely(signed));
    expect(first).toMatchObject({ status: 0, hasRun: true });
    expect(first.err).not.toContain('writes /;');
    if (first.err.includes('confined: level')) expect(first.err).toContain(`writes ${place()}`);
    await runs(widely(signed));
    await refuses(widely(signed), 'used up on this host');
    await runs(exactly(signed)); // each part has its own count
  });

  it.each([
    ['names no part', undefined, 'another request'],
    ['names a part that was not signed', 4, 'another request'],
    ['names a part by a string', '1', 'another request'],
    ['names the part of another line', 3, 'another request'],
    ['names a wider part for the exact bytes', 2, 'another request'],
  ])('runs nothing if the server %s', async (_, part, detail) => {
    await refuses(
      (asked) => ({ ...(part === undefined ? {} : { part: part as number }), seals: [signedPlan()(asked)] }),
      detail,
    );
  });

  it('does not run the example line of a wider part as an exact part: the scope confines it', async () => {
    const withExample = ({ fingerprint, ...asked }: Asked): PlanScope => {
      const { parts, ...plan } = planFor({ ...asked, fingerprint } as Asked);
      return { ...plan, parts: parts.map((each) => ({ ...each, fingerprint: each.part === 2 ? fingerprint : OTHER })) };
    };
    await refuses(exactly(signedPlan(withExample), 2), 'another request');
    await runs(widely(signedPlan(withExample)));
  });

  it.each([
    ['no part', undefined],
    ['a part that was not signed', 4],
    ['an exact part', 3],
  ])('covers no line by its scope if the server names %s', async (_, part) => {
    const named = { grantId: GRANT_ID, title: 'anything', ...(part === undefined ? {} : { part }) };
    const lie: Lie = (asked) => ({ ...widely(signedPlan())(asked), coveredBy: [named] });
    await refuses(lie, 'nothing ran');
  });

  const altered =
    (change: (scope: PlanScope) => object, more: object = {}): Signed =>
    (asked) => {
      const { document, seal } = signedPlan()(asked);
      const scope = { ...(document.scope as PlanScope), ...change(document.scope as PlanScope) };
      return { document: { ...document, scope, ...more } as typeof document, seal };
    };

  it.each([
    [
      'adds a part',
      altered(({ parts }) => ({ parts: [...parts, { part: 4, fingerprint: OTHER, scope: null, uses: 1 }] })),
    ],
    ['raises the uses', altered(({ parts }) => ({ parts: parts.map((part) => ({ ...part, uses: 1_000 })) }))],
    ['removes a part', altered(({ parts }) => ({ parts: parts.slice(0, 1) }))],
    ['changes the order', altered(() => ({ order: true }))],
    ['moves the end', altered(() => ({}), { term: { kind: 'timed', untilMs: Date.now() + 99 * HOUR_MS } })],
    ['makes the plan last for ever', altered(() => ({}), { term: { kind: 'always' } })],
  ])('does not fit its seal if the server %s', async (_, signed) => {
    await refuses(exactly(signed), 'does not fit');
  });

  it('is refused if the server changes the lines of its parts, or signs it with a key that only has the name of the owner', async () => {
    const moved = altered(({ parts }) => ({ parts: parts.map((part) => ({ ...part, fingerprint: OTHER })) }));
    await refuses(exactly(moved), 'does not fit');
    await refuses(
      exactly(signedPlan(planFor, Date.now() + HOUR_MS, newSealer('the owner'))),
      'not among the approvers',
    );
  });

  it('ends with its time, by the clock of this host', async () => {
    await refuses(exactly(signedPlan(planFor, Date.now() - 1)), 'has ended');
    await refuses(widely(signedPlan(planFor, Date.now() - 1)), 'has ended');
  });

  it('keeps its order on this host: part 2 after part 1 was used here, whatever the server says', async () => {
    const signed = signedPlan((asked) => planFor(asked, { order: true }));
    await refuses(widely(signed), 'the part before this one was not used');
    await runs(exactly(signed));
    await runs(widely(signed));
  });

  it('without an end is refused, although an approver signed it without an end', async () => {
    const always: Lie = (asked) => ({
      part: 1,
      seals: [sealed(server.decision(asked, { term: { kind: 'always' }, scope: planFor(asked) }), owner)],
    });
    await refuses(always, 'unknown shape');
  });

  it('covers no line that this host cannot read, and an exact part covers no other line', async () => {
    await refuses(widely(signedPlan()), 'cannot read the line', 'eval "touch ran"');
    const other: Lie = (asked) => ({
      part: 1,
      seals: [signedPlan((each) => planFor({ ...each, fingerprint: OTHER }))(asked)],
    });
    await refuses(other, 'another request');
  });
});
