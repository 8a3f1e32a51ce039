/** The states of a grant and the transitions between them, for any order of events. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  compareForUse,
  expiryAtMs,
  type Grant,
  type GrantEvent,
  type GrantState,
  PENDING_LIFETIME_MS,
  stateAt,
  type Term,
  transition,
  UNUSED_ONCE_LIFETIME_MS,
} from '../../src/core/grant/grant.ts';
import type { ScopeFault } from '../../src/core/scope/unfit.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

const filed = pendingGrant({ createdAtMs: START_MS, expiresAtMs: START_MS + PENDING_LIFETIME_MS });

/** Times an hour apart, and times exactly at the limits, where comparisons fail. */
const anyMs = fc.oneof(
  fc.integer({ min: 0, max: 120 }).map((hours) => START_MS + hours * HOUR_MS),
  fc.constantFrom(-1, 0, 1).map((by) => START_MS + PENDING_LIFETIME_MS + by),
  fc.constantFrom(-1, 0, 1).map((by) => START_MS + HOUR_MS + by),
);
const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.constant<Term>({ kind: 'once' }),
  fc.constant<Term>({ kind: 'always' }),
  anyMs.map((untilMs): Term => ({ kind: 'timed', untilMs })),
);
const anyEvent: fc.Arbitrary<GrantEvent> = fc.oneof(
  anyTerm.map((term): GrantEvent => ({ kind: 'approve', by: 's_o', term })),
  fc.constant<GrantEvent>({ kind: 'deny', by: 's_o', reason: 'no' }),
  fc.constant<GrantEvent>({ kind: 'withdraw' }),
  fc.constant<GrantEvent>({ kind: 'revoke', by: 's_o' }),
  // Uses have more weight, because a property about uses needs grants that are used.
  fc.constant<GrantEvent>({ kind: 'use' }),
  fc.constant<GrantEvent>({ kind: 'use' }),
  fc.constant<GrantEvent>({ kind: 'use' }),
);
const RUNS = { numRuns: 3_000 };
const FINAL: readonly GrantState[] = ['denied', 'withdrawn', 'used', 'revoked'];

/** Returns the grant after these steps, and each accepted event with its time. */
function live(steps: readonly { readonly event: GrantEvent; readonly afterMs: number }[]) {
  let grant = filed;
  let nowMs = START_MS;
  const accepted: { event: GrantEvent; atMs: number; before: Grant; after: Grant }[] = [];
  for (const { event, afterMs } of steps) {
    nowMs += afterMs;
    const next = transition(grant, event, nowMs);
    if (!next.ok) continue;
    accepted.push({ event, atMs: nowMs, before: grant, after: next.value });
    grant = next.value;
  }
  return { grant, nowMs, accepted };
}

const anyLife = fc
  .array(fc.record({ event: anyEvent, afterMs: fc.constantFrom(0, 1, HOUR_MS, PENDING_LIFETIME_MS) }), {
    maxLength: 12,
  })
  .map((steps) =>
    [{ event: { kind: 'approve', by: 's_o', term: { kind: 'once' } } as GrantEvent, afterMs: 0 }, ...steps].slice(
      steps.length % 2,
    ),
  );

describe('a grant', () => {
  it('with the term once is never used twice, in whatever order things happen', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const { accepted } = live(steps);
        const uses = accepted.filter(({ event, before }) => event.kind === 'use' && before.term?.kind === 'once');
        expect(uses.length).toBeLessThanOrEqual(1);
      }),
      RUNS,
    );
    const { grant } = live([
      { event: { kind: 'approve', by: 's_o', term: { kind: 'once' } }, afterMs: 0 },
      { event: { kind: 'use' }, afterMs: 0 },
    ]);
    expect([grant.state, grant.uses]).toEqual(['used', 1]);
  });

  it('is decided at most once, and used only between its approval and its end', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const { accepted } = live(steps);
        const decisions = accepted.filter(
          ({ event }) => event.kind === 'approve' || event.kind === 'deny' || event.kind === 'withdraw',
        );
        expect(decisions.length).toBeLessThanOrEqual(1);
        for (const { atMs, before } of accepted.filter(({ event }) => event.kind === 'use')) {
          expect(stateAt(before, atMs)).toBe('approved');
          if (before.term?.kind === 'timed') expect(atMs).toBeLessThan(before.term.untilMs);
        }
      }),
      RUNS,
    );
  });

  it('counts every accepted change in its version, and never changes its request', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const { grant, accepted } = live(steps);
        expect(grant.version).toBe(1 + accepted.length);
        for (const { before, after } of accepted) expect(after.version).toBe(before.version + 1);
        expect(grant.request).toBe(filed.request);
        expect([grant.id, grant.fingerprint, grant.requesterId, grant.createdAtMs]).toEqual([
          filed.id,
          filed.fingerprint,
          filed.requesterId,
          START_MS,
        ]);
      }),
      RUNS,
    );
  });

  it('that is not pending or approved never changes again', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        for (const { before, atMs } of live(steps).accepted)
          expect(['pending', 'approved']).toContain(stateAt(before, atMs));
      }),
      RUNS,
    );
  });

  it('stays in a final state for ever', () => {
    fc.assert(
      fc.property(anyLife, anyEvent, anyMs, (steps, event, nowMs) => {
        const { grant } = live(steps);
        fc.pre(FINAL.includes(grant.state));
        expect(transition(grant, event, nowMs)).toEqual({
          ok: false,
          failure: { kind: 'wrong-state', state: grant.state },
        });
      }),
    );
  });

  it('that has expired stays expired, and nothing can be done with it', () => {
    fc.assert(
      fc.property(anyLife, anyMs, fc.nat({ max: 100 * HOUR_MS }), anyEvent, (steps, nowMs, laterMs, event) => {
        const { grant } = live(steps);
        fc.pre(stateAt(grant, nowMs) === 'expired');
        expect(stateAt(grant, nowMs + laterMs)).toBe('expired');
        expect(transition(grant, event, nowMs).ok).toBe(false);
      }),
    );
  });

  it('expires exactly at the stated moment', () => {
    fc.assert(
      fc.property(anyLife, anyMs, (steps, nowMs) => {
        const { grant } = live(steps);
        const expiries = expiryAtMs(grant);
        if (expiries === null) expect(stateAt(grant, nowMs)).not.toBe('expired');
        else expect(stateAt(grant, nowMs) === 'expired').toBe(nowMs >= expiries);
      }),
    );
  });

  it('that is undecided, or that is approved once and not used, ends after 48 hours', () => {
    expect(stateAt(filed, START_MS + PENDING_LIFETIME_MS - 1)).toBe('pending');
    expect(stateAt(filed, START_MS + PENDING_LIFETIME_MS)).toBe('expired');
    const { grant } = live([{ event: { kind: 'approve', by: 's_o', term: { kind: 'once' } }, afterMs: 5 }]);
    expect(stateAt(grant, START_MS + 5 + UNUSED_ONCE_LIFETIME_MS - 1)).toBe('approved');
    expect(stateAt(grant, START_MS + 5 + UNUSED_ONCE_LIFETIME_MS)).toBe('expired');
  });

  it('cannot be approved until a moment in the past', () => {
    const approve = (untilMs: number) =>
      transition(filed, { kind: 'approve', by: 's_o', term: { kind: 'timed', untilMs } }, START_MS);
    expect(approve(START_MS)).toEqual({ ok: false, failure: { kind: 'term-over', untilMs: START_MS } });
    expect(approve(START_MS + 1).ok).toBe(true);
  });

  it('with an approval but without a term is never usable', () => {
    const malformed: Grant = { ...filed, state: 'approved', term: null };
    expect(stateAt(malformed, START_MS)).toBe('expired');
    expect(transition(malformed, { kind: 'use' }, START_MS).ok).toBe(false);
  });
});

test('the random lives of these properties reach every state', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyLife, (steps) => {
      for (const { event, after } of live(steps).accepted) seen.add(`${event.kind}>${after.state}`);
    }),
    RUNS,
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

describe('a scope with a number of uses', () => {
  const scope = {
    kind: 'commands' as const,
    patterns: [],
    conditions: { host: 'h', user: 'u', cwdBelow: null, hours: null, environment: [] },
    mostUses: 2,
  };
  const approve = (fault: ScopeFault | null, granted: Term = { kind: 'always' }) =>
    transition(filed, { kind: 'approve', by: 's_o', term: granted, scope, fault }, START_MS);

  it('is used up by the last use, and never used again', () => {
    let grant = approve(null);
    const states: string[] = [];
    for (let count = 0; count < 3 && grant.ok; count += 1) {
      grant = transition(grant.value, { kind: 'use' }, START_MS);
      states.push(grant.ok ? `${grant.value.state} ${grant.value.uses}` : grant.failure.kind);
    }
    expect(states).toEqual(['approved 1', 'used 2', 'wrong-state']);
  });

  it('is not given if it has a fault, or for a once grant', () => {
    const fault = { code: 'forbidden' as const, message: 'opaque' };
    expect(approve(fault)).toEqual({ ok: false, failure: { kind: 'scope', fault } });
    expect(approve(null, { kind: 'once' })).toMatchObject({
      ok: false,
      failure: { kind: 'scope', fault: { code: 'unfit' } },
    });
  });
});

describe('the order of use', () => {
  it('puts a once grant after standing grants, whichever argument comes first', () => {
    const grants = (['once', 'timed', 'always'] as const).map((kind, index): Grant => {
      const term: Term = kind === 'timed' ? { kind, untilMs: START_MS + 1 } : { kind };
      return { ...filed, id: `g_${index}`, state: 'approved', term };
    });
    expect(grants.toSorted(compareForUse).map((grant) => grant.term?.kind)).toEqual(['always', 'timed', 'once']);
    const [older, newer] = [filed, { ...filed, id: 'g_b', createdAtMs: START_MS + 1 }];
    expect([newer, older].sort(compareForUse)).toEqual([older, newer]);
    fc.assert(
      fc.property(anyLife, anyLife, (left, right) => {
        const [a, b] = [live(left).grant, { ...live(right).grant, id: 'g_b' }];
        expect(Math.sign(compareForUse(a, b))).toBe(-Math.sign(compareForUse(b, a)));
      }),
    );
  });
});
