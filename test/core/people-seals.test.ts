/** A host accepts the seals of an approval exactly if enough different people have sealed the same approval, each within their rights. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RISKS, type Risk } from '../../src/core/effects/permission.ts';
import { peopleSealFault } from '../../src/core/sealed/people-seals.ts';
import type { PeopleRules } from '../../src/core/wire/people.ts';
import type { Approver, ApproversDocument, DecisionDocument } from '../../src/core/wire/sealed.ts';

const NOW_MS = 1_000;
const PEOPLE = ['s_ada', 's_bob', 's_eve', 's_kim'] as const;
/** Each person has two keys. */
const KEYS: readonly Approver[] = [...PEOPLE, ...PEOPLE].map((person, at) => ({
  kind: 'ed25519',
  keyId: `key-${at}`,
  name: `${person} ${at}`,
  publicKey: 'A'.repeat(43),
  person,
}));
const DOCUMENT: DecisionDocument = {
  typ: 'ape-decision/1',
  server: 'A'.repeat(43),
  grantId: 'g_x',
  requesterId: 'r_one',
  fingerprint: '0'.repeat(64),
  host: 'box',
  decision: 'approve',
  term: { kind: 'timed', untilMs: 9_000 },
  expiresAtMs: null,
  scope: null,
  confinement: null,
  decidedAtMs: 500,
  approversSequence: 1,
};
const EVERYTHING = { operations: ['write'], pathPrefix: '/' } as DecisionDocument['scope'];
/** Changes after which another person has approved something else, and one after which it is still the same. */
const OTHERS: readonly Partial<DecisionDocument>[] = [
  { term: { kind: 'always' } },
  { scope: EVERYTHING },
  { fingerprint: '1'.repeat(64) },
  { confinement: { level: 1 } as never },
];
const SAME: Partial<DecisionDocument> = { term: { kind: 'timed', untilMs: 8_000 }, decidedAtMs: 600 };

const person = fc.constantFrom(...PEOPLE);
const count = fc.integer({ min: 1, max: 3 });
const limits = fc.record({
  requesters: fc.constantFrom(null, ['r_one'], ['r_two']),
  hosts: fc.constantFrom(null, ['box'], ['cart']),
  upTo: fc.constantFrom(...RISKS),
});
const rule = fc.record({
  id: person,
  limits: fc.option(limits, { freq: 2 }),
  own: fc.constantFrom([], [], ['r_two'], ['r_one']),
});
const delegation = fc.record({ from: person, to: person, untilMs: fc.constantFrom(NOW_MS, NOW_MS + 1) });
const anyRules = fc.record({
  quorum: fc.record({ low: count, medium: count, high: count, critical: count }),
  persons: fc.uniqueArray(rule, { selector: ({ id }) => id, maxLength: 4 }),
  delegations: fc.array(delegation, { maxLength: 2 }),
}) as unknown as fc.Arbitrary<PeopleRules>;

/** Whether the person may decide about the document at this risk, without looking at the program. */
function mayDecide(rules: PeopleRules, onList: ReadonlySet<string>, id: string, risk: Risk | null): boolean {
  const mayAlone = (who: string): boolean => {
    const found = rules.persons.find((each) => each.id === who);
    const [own, requesters] = [found?.limits ?? null, found?.own ?? []];
    if (!onList.has(who) || requesters.includes('r_one')) return false;
    const rank = RISKS.indexOf(risk ?? 'critical');
    return (
      own === null ||
      (own.requesters?.includes('r_one') !== false &&
        own.hosts?.includes('box') !== false &&
        rank <= RISKS.indexOf(own.upTo))
    );
  };
  const isOwn = rules.persons.some((each) => each.id === id && each.own.includes('r_one'));
  const isLent = rules.delegations.some(({ from, to, untilMs }) => to === id && untilMs > NOW_MS && mayAlone(from));
  return onList.has(id) && !isOwn && (mayAlone(id) || isLent);
}

it('enough seals of different people are accepted and all others refused, whatever the rules and the keys on the list', () => {
  const verdicts = new Set<string | null>();
  const keys = fc.subarray([...KEYS], { minLength: 1 });
  const risks = fc.option(fc.constantFrom(...RISKS));
  const others = fc.option(fc.record({ at: fc.nat(7), change: fc.constantFrom(...OTHERS) }), { freq: 3 });
  fc.assert(
    fc.property(
      anyRules,
      keys,
      fc.array(fc.nat(7), { minLength: 1, maxLength: 5 }),
      risks,
      others,
      (rules, on, by, risk, other) => {
        const list = { typ: 'ape-approvers/2', approvers: on, people: rules } as unknown as ApproversDocument;
        const signed = by.map((key, at) => ({
          by: on[key % on.length] as Approver,
          document: { ...DOCUMENT, ...(at % 2 === 1 ? SAME : {}), ...(other?.at === at ? other.change : {}) },
        }));
        const onList = new Set(on.flatMap((key) => key.person ?? []));
        const people = new Set(signed.map((each) => each.by.person ?? ''));
        const counted = [...people].filter((id) => mayDecide(rules, onList, id, risk)).length;
        const upTo = RISKS.slice(0, RISKS.indexOf(risk ?? 'critical') + 1);
        const needed = Math.max(...upTo.map((each) => rules.quorum[each]));
        const isApart = signed.length > 1 && other !== null && other.at < signed.length;
        const fault = isApart ? 'apart' : counted === 0 ? 'limits' : counted < needed ? 'quorum' : null;
        expect(peopleSealFault(list, signed, risk, NOW_MS)).toBe(fault);
        verdicts.add(fault);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(verdicts).toEqual(new Set(['apart', 'limits', 'quorum', null]));
});
