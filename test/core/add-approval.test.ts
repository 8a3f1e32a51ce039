/** A request that several people have to approve ends with the terms of the approvals that count, and of no others. */
import { describe, expect, it } from 'vitest';
import type { Grant, Term } from '../../src/core/grant/grant.ts';
import { addApproval } from '../../src/core/people/add-approval.ts';
import { pendingGrant } from '../fixtures/grant.ts';

const NOW_MS = 1_000;
const until = (untilMs: number): Term => ({ kind: 'timed', untilMs });
const pending = pendingGrant({ expiresAtMs: 10_000 });

function approve(grant: Grant, by: string, term: Term, { needed = 3, nowMs = NOW_MS } = {}): Grant {
  const approved: Grant = { ...grant, version: grant.version + 1, state: 'approved', term };
  return addApproval(grant, approved, { by, name: by, atMs: nowMs }, { needed, nowMs, stillCounts: () => true });
}

describe('several approvals', () => {
  it('end at the earliest end that a person chose', () => {
    const first = approve(pending, 'ada', until(9_000));
    const second = approve(first, 'bob', until(5_000));
    expect(second.approvals?.term).toEqual(until(5_000));
    expect(approve(second, 'eve', until(7_000))).toMatchObject({ state: 'approved', term: until(5_000) });
  });

  it('do not end with a term that its person has replaced', () => {
    const first = approve(pending, 'ada', until(2_000));
    const second = approve(first, 'bob', until(9_000));
    const replaced = approve(second, 'ada', until(8_000));
    expect(replaced.approvals?.term).toEqual(until(8_000));
    expect(approve(replaced, 'eve', until(9_000))).toMatchObject({ state: 'approved', term: until(8_000) });
  });

  it('lose only those whose own term is over', () => {
    const first = approve(pending, 'ada', until(2_000));
    const second = approve(first, 'bob', until(9_000));
    const third = approve(second, 'eve', until(8_000), { nowMs: 2_000 });
    expect(third.state).toBe('pending');
    expect(third.approvals).toMatchObject({ term: until(8_000), given: [{ by: 'bob' }, { by: 'eve' }] });
  });

  it('of an earlier version all have the common term', () => {
    const given = [{ by: 'ada', name: 'ada', atMs: 0 }];
    const recorded = { needed: 3, term: until(2_000), scope: null, confinement: null, given };
    const grant: Grant = { ...pending, approvals: recorded };
    expect(approve(grant, 'bob', until(9_000)).approvals?.term).toEqual(until(2_000));
    expect(approve(grant, 'bob', until(9_000), { nowMs: 2_000 }).approvals?.given).toHaveLength(1);
  });
});
