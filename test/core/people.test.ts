/** Who may decide what, and how many people an approval takes: properties for random rules, people and requests. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RISKS, type Risk } from '../../src/core/effects/permission.ts';
import {
  approvalsNeeded,
  authorityOf,
  countedPersons,
  type DecisionCase,
  NO_RULES,
} from '../../src/core/people/may-decide.ts';
import { arePeopleRules } from '../../src/core/people/people-fault.ts';
import type { Limits } from '../../src/core/wire/limits.ts';
import type { PeopleRules, PersonRule } from '../../src/core/wire/people.ts';

const PEOPLE = ['s_ada', 's_bob', 's_eve', 's_ida'] as const;
const person = fc.constantFrom(...PEOPLE);
const requester = fc.constantFrom('r_one', 'r_two');
const host = fc.constantFrom('box', 'cart');
const risk = fc.constantFrom(...RISKS);
const limits: fc.Arbitrary<Limits | null> = fc.option(
  fc.record({
    requesters: fc.option(fc.uniqueArray(requester)),
    hosts: fc.option(fc.uniqueArray(host)),
    upTo: risk,
  }),
);
const count = fc.integer({ min: 1, max: 4 });
const rules: fc.Arbitrary<PeopleRules> = fc.record({
  quorum: fc.record({ low: count, medium: count, high: count, critical: count }),
  persons: fc.uniqueArray(fc.record({ id: person, limits, own: fc.uniqueArray(requester) }), {
    selector: ({ id }) => id,
  }),
  delegations: fc.array(
    fc
      .record({ from: person, to: person, untilMs: fc.integer({ min: 0, max: 20 }) })
      .filter(({ from, to }) => from !== to),
    { maxLength: 4 },
  ),
});
const what: fc.Arbitrary<DecisionCase> = fc.record({
  requesterId: requester,
  host,
  risk: fc.option(risk),
  nowMs: fc.integer({ min: 0, max: 20 }),
});
const deciders = fc.uniqueArray(person).map((ids) => new Set<string>(ids));
const rank = (of: Risk | null) => (of === null ? 3 : RISKS.indexOf(of));
const fits = (own: Limits | null, { requesterId, host: where, risk: of }: DecisionCase) =>
  own === null ||
  ((own.requesters === null || own.requesters.includes(requesterId)) &&
    (own.hosts === null || own.hosts.includes(where)) &&
    rank(of) <= rank(own.upTo));
const ruleFor = ({ persons }: PeopleRules, id: string): Omit<PersonRule, 'id'> =>
  persons.find((each) => each.id === id) ?? { limits: null, own: [] };

describe('a person', () => {
  it('with a limit that is not a known risk decides nothing', () => {
    const limited = { id: 's_ada', limits: { requesters: null, hosts: null, upTo: 'tiny' as Risk }, own: [] };
    const about = { requesterId: 'r_one', host: 'box', risk: 'low' as const, nowMs: 1 };
    const given = { ...NO_RULES, persons: [limited] };
    expect(authorityOf(given, new Set(['s_ada']), 's_ada', about)).toEqual({ kind: 'none', why: 'limits' });
  });

  it('decides only within their own limits, or within those of a person who delegated to them', () => {
    fc.assert(
      fc.property(rules, deciders, person, what, (given, known, id, about) => {
        const mayAlone = (who: string) =>
          known.has(who) &&
          !ruleFor(given, who).own.includes(about.requesterId) &&
          fits(ruleFor(given, who).limits, about);
        const isOwn = ruleFor(given, id).own.includes(about.requesterId);
        const lent = given.delegations.some(
          ({ from, to, untilMs }) => to === id && about.nowMs < untilMs && mayAlone(from),
        );
        const may = known.has(id) && !isOwn && (mayAlone(id) || lent);
        expect(authorityOf(given, known, id, about).kind !== 'none').toBe(may);
      }),
      { numRuns: 2_000 },
    );
  });

  it('who got a right by a delegation cannot delegate that right', () => {
    const narrow: Limits = { requesters: [], hosts: null, upTo: 'low' };
    const chain: PeopleRules = {
      ...NO_RULES,
      persons: ['s_bob', 's_eve'].map((id) => ({ id, limits: narrow, own: [] })),
      delegations: [
        { from: 's_ada', to: 's_bob', untilMs: 10 },
        { from: 's_bob', to: 's_eve', untilMs: 10 },
      ],
    };
    const about = { requesterId: 'r_one', host: 'box', risk: null, nowMs: 1 };
    const known = new Set<string>(PEOPLE);
    expect(authorityOf(chain, known, 's_bob', about)).toEqual({ kind: 'delegated', from: 's_ada', untilMs: 10 });
    expect(authorityOf(chain, known, 's_eve', about)).toEqual({ kind: 'none', why: 'limits' });
    expect(authorityOf(chain, known, 's_bob', { ...about, nowMs: 10 })).toEqual({ kind: 'none', why: 'limits' });
  });
});

describe('a quorum', () => {
  it('counts each person once, in any order, and only those who may decide', () => {
    fc.assert(
      fc.property(rules, deciders, fc.array(person, { maxLength: 8 }), what, (given, known, signed, about) => {
        const counted = countedPersons(given, known, signed, about);
        expect(new Set(counted).size).toBe(counted.length);
        expect([...countedPersons(given, known, signed.toReversed(), about)].sort()).toEqual([...counted].sort());
        for (const id of counted) expect(authorityOf(given, known, id, about).kind).not.toBe('none');
        const [gone] = counted;
        if (gone === undefined) return;
        const without = new Set([...known].filter((id) => id !== gone));
        expect(countedPersons(given, without, signed, about)).not.toContain(gone);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never needs fewer people for a higher risk, and needs the most for an unknown risk', () => {
    fc.assert(
      fc.property(rules, (given) => {
        const needed = [...RISKS, null].map((each) => approvalsNeeded(given.quorum, each));
        expect(needed.toSorted((left, right) => left - right)).toEqual(needed);
        for (const each of RISKS)
          expect(approvalsNeeded(given.quorum, each)).toBeGreaterThanOrEqual(given.quorum[each]);
        expect(approvalsNeeded(given.quorum, null)).toBe(approvalsNeeded(given.quorum, 'critical'));
        expect(approvalsNeeded(given.quorum, 'enormous' as Risk)).toBe(approvalsNeeded(given.quorum, 'critical'));
      }),
    );
  });
});

it('rules with an unknown, missing or repeated member are refused', () => {
  fc.assert(fc.property(rules, (given) => arePeopleRules(given)));
  const one = { id: 's_ada', limits: { requesters: null, hosts: null, upTo: 'low' }, own: [] };
  const good = { ...NO_RULES, persons: [one] };
  expect(arePeopleRules(good)).toBe(true);
  for (const bad of [
    null,
    [],
    {},
    { ...good, more: 1 },
    { ...good, quorum: { ...NO_RULES.quorum, low: 0 } },
    { ...good, quorum: { ...NO_RULES.quorum, low: 1.5 } },
    { ...good, quorum: { low: 1, medium: 1, high: 1 } },
    { ...good, quorum: { ...NO_RULES.quorum, none: 1 } },
    { ...good, persons: [one, one] },
    { ...good, persons: [{ ...one, limits: undefined }] },
    { ...good, persons: [{ ...one, limits: { ...one.limits, upTo: 'none' } }] },
    { ...good, persons: [{ ...one, limits: { ...one.limits, hosts: 'box' } }] },
    { ...good, persons: [{ ...one, limits: { ...one.limits, more: [] } }] },
    { ...good, persons: [{ ...one, own: null }] },
    { ...good, persons: [{ ...one, role: 'owner' }] },
    { ...good, delegations: [{ from: 'a', to: 'a', untilMs: 1 }] },
    { ...good, delegations: [{ from: 'a', to: 'b', untilMs: null }] },
    { ...good, delegations: [{ from: 'a', to: 'b' }] },
  ])
    expect([bad, arePeopleRules(bad)]).toEqual([bad, false]);
});
