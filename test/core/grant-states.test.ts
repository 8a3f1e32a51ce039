/** The states of a grant: decided once, used as often as its term allows, never after its end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Grant, type GrantEvent, stateAt, type Term, transition } from '../../src/core/grant/grant.ts';
import type { ScopeFault } from '../../src/core/scope/unfit.ts';

const NOW = 1_000_000;
const fresh: Grant = {
  id: 'g_aaaaaaaaaaaaaaaaaaaaaaaaaa',
  version: 1,
  state: 'pending',
  requesterId: 's_a',
  requesterName: 'a',
  request: { kind: 'command', text: 'true', argv: ['-c', 'true'], cwd: '/', host: 'h', user: 'u', environment: [] },
  fingerprint: 'f',
  reason: null,
  proposedTerm: { kind: 'once' },
  term: null,
  scope: null,
  confinement: null,
  touches: null,
  createdAtMs: NOW,
  expiresAtMs: NOW + 1000,
  decidedAtMs: null,
  decidedBy: null,
  denyReason: null,
  usedAtMs: null,
  uses: 0,
  revokedAtMs: null,
};

const term: fc.Arbitrary<Term> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Term>({ kind: 'once' }) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: NOW - 50, max: NOW + 5000 }).map<Term>((untilMs) => ({ kind: 'timed', untilMs })),
  },
  { weight: 1, arbitrary: fc.constant<Term>({ kind: 'always' }) },
);
const event: fc.Arbitrary<GrantEvent> = fc.oneof(
  { weight: 3, arbitrary: term.map<GrantEvent>((granted) => ({ kind: 'approve', by: 'owner', term: granted })) },
  { weight: 4, arbitrary: fc.constant<GrantEvent>({ kind: 'use' }) },
  { weight: 1, arbitrary: fc.constant<GrantEvent>({ kind: 'deny', by: 'owner', reason: null }) },
  { weight: 1, arbitrary: fc.constant<GrantEvent>({ kind: 'withdraw' }) },
  { weight: 1, arbitrary: fc.constant<GrantEvent>({ kind: 'revoke', by: 'owner' }) },
);
const life = fc.array(fc.tuple(event, fc.integer({ min: 0, max: 900 })), { minLength: 1, maxLength: 12 });

interface Step {
  readonly before: Grant;
  readonly event: GrantEvent;
  readonly nowMs: number;
  readonly after: Grant | null;
}

function live(events: readonly (readonly [GrantEvent, number])[]): readonly Step[] {
  const steps: Step[] = [];
  let grant = fresh;
  let nowMs = NOW;
  for (const [next, pauseMs] of events) {
    nowMs += pauseMs;
    const changed = transition(grant, next, nowMs);
    steps.push({ before: grant, event: next, nowMs, after: changed.ok ? changed.value : null });
    if (changed.ok) grant = changed.value;
  }
  return steps;
}

const property = (title: string, check: (steps: readonly Step[]) => void) =>
  test(title, () => {
    fc.assert(
      fc.property(life, (events) => check(live(events))),
      { numRuns: 3000 },
    );
  });

describe('in any life of a grant', () => {
  property('it is decided at most once', (steps) => {
    const decisions = steps.filter(
      ({ event: { kind }, after }) => after !== null && (kind === 'approve' || kind === 'deny'),
    );
    expect(decisions.length).toBeLessThanOrEqual(1);
  });
  property('a once grant is used at most once', (steps) => {
    const uses = steps.filter(
      ({ event: { kind }, before, after }) => kind === 'use' && after !== null && before.term?.kind === 'once',
    );
    expect(uses.length).toBeLessThanOrEqual(1);
  });
  property('nothing is used that is not approved at that moment', (steps) => {
    for (const {
      before,
      event: { kind },
      nowMs,
      after,
    } of steps)
      if (kind === 'use' && after !== null) expect(stateAt(before, nowMs)).toBe('approved');
  });
  property('nothing is used at or after the end of its time', (steps) => {
    for (const {
      before,
      event: { kind },
      nowMs,
      after,
    } of steps)
      if (kind === 'use' && after !== null && before.term?.kind === 'timed')
        expect(nowMs).toBeLessThan(before.term.untilMs);
  });
  property('every change makes the version one larger, and a refusal changes nothing', (steps) => {
    for (const { before, after } of steps) if (after !== null) expect(after.version).toBe(before.version + 1);
  });
  property('what is denied, withdrawn, used, revoked or expired stays so', (steps) => {
    for (const { before, nowMs, after } of steps)
      if (!['pending', 'approved'].includes(stateAt(before, nowMs))) expect(after).toBeNull();
  });
  property('the request itself never changes', (steps) => {
    for (const { after } of steps) if (after !== null) expect(after.request).toBe(fresh.request);
  });
});

test('the random lives of these properties reach every state', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(life, (events) => {
      for (const {
        event: { kind },
        after,
      } of live(events))
        if (after !== null) seen.add(`${kind}>${after.state}`);
    }),
    { numRuns: 3000 },
  );
  expect([...seen].sort()).toEqual([
    'approve>approved',
    'deny>denied',
    'revoke>revoked',
    'use>approved',
    'use>used',
    'withdraw>withdrawn',
  ]);
});

test('an approval without a term is never usable', () => {
  expect(stateAt({ ...fresh, state: 'approved' }, NOW)).toBe('expired');
});

test('a term that is already over is refused, with its time', () => {
  expect(transition(fresh, { kind: 'approve', by: 'owner', term: { kind: 'timed', untilMs: NOW } }, NOW)).toEqual({
    ok: false,
    failure: { kind: 'term-over', untilMs: NOW },
  });
});

describe('a scope with a number of uses', () => {
  const scope = {
    kind: 'commands' as const,
    patterns: [],
    conditions: { host: 'h', user: 'u', cwdBelow: null, hours: null, environment: [] },
    mostUses: 2,
  };
  const approve = (fault: ScopeFault | null, granted: Term = { kind: 'always' }) =>
    transition(fresh, { kind: 'approve', by: 'owner', term: granted, scope, fault }, NOW);

  test('is used up by the last use, and never used again', () => {
    let grant = approve(null);
    const states: string[] = [];
    for (let count = 0; count < 3 && grant.ok; count += 1) {
      grant = transition(grant.value, { kind: 'use' }, NOW);
      states.push(grant.ok ? `${grant.value.state} ${grant.value.uses}` : grant.failure.kind);
    }
    expect(states).toEqual(['approved 1', 'used 2', 'wrong-state']);
  });

  test('is not given if it has a fault, or for a once grant', () => {
    const fault = { code: 'forbidden' as const, message: 'opaque' };
    expect(approve(fault)).toEqual({ ok: false, failure: { kind: 'scope', fault } });
    expect(approve(null, { kind: 'once' })).toMatchObject({
      ok: false,
      failure: { kind: 'scope', fault: { code: 'unfit' } },
    });
  });
});
