/** A break-glass key on the list of approvers: which lists may have it, what it may sign, and which of its seals a host accepts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_RULES } from '../../src/core/people/may-decide.ts';
import {
  approversFault,
  firstApprovers,
  maySignLists,
  maySignWithout,
  nextApprovers,
} from '../../src/core/sealed/approver-list.ts';
import { BREAK_GLASS_MS, CLOCK_DIFFERENCE_MS, endsInFirstUse } from '../../src/core/sealed/break-glass-key.ts';
import { peopleSealFault, type Signed } from '../../src/core/sealed/people-seals.ts';
import { sealFailure } from '../../src/core/sealed/seal-fault.ts';
import type { PeopleRules } from '../../src/core/wire/people.ts';
import type { Approver, ApproversDocument, DecisionDocument, PolicyDocument } from '../../src/core/wire/sealed.ts';

const NOW = 1_800_000_000_000;
const owner: Approver = { kind: 'ed25519', keyId: 'k_owner', name: 'owner key', publicKey: 'A'.repeat(43) };
const ada: Approver = { ...owner, keyId: 'k_ada', name: 'Ada', person: 's_ada' };
const KEY_ENDS = NOW + 365 * 86_400_000;
const glass: Approver = {
  ...owner,
  keyId: 'k_glass',
  name: 'break-glass code b_1',
  breakGlass: true,
  expiresAtMs: KEY_ENDS,
};
const first = firstApprovers('server', 1, owner, 0);
const withCode = nextApprovers(first, 'd'.repeat(64), { added: glass }, 1);
const listOf = (change: object): ApproversDocument => ({ ...withCode, ...change }) as ApproversDocument;

describe('a list with a break-glass key', () => {
  it('has a type of its own, with the rules for people; its type changes back when the last such key is removed', () => {
    expect(withCode).toMatchObject({ typ: 'ape-approvers/3', people: NO_RULES, sequence: 2 });
    expect(approversFault(withCode)).toBeNull();
    const two = nextApprovers(withCode, '', { added: { ...glass, keyId: 'k_other' } }, 2);
    const one = nextApprovers(two, '', { removed: 'k_glass' }, 3);
    expect([two.typ, one.typ]).toEqual(['ape-approvers/3', 'ape-approvers/3']);
    const none = nextApprovers(one, '', { removed: 'k_other' }, 4);
    expect(none).toMatchObject({ typ: 'ape-approvers/2', people: NO_RULES });
    expect(approversFault(none)).toBeNull();
  });

  it('keeps the rules for people that were there', () => {
    const people: PeopleRules = { ...NO_RULES, quorum: { ...NO_RULES.quorum, critical: 2 } };
    const ruled = nextApprovers(first, '', { people }, 1);
    const next = nextApprovers(ruled, '', { added: glass }, 2);
    expect(next.people).toEqual(people);
    expect(nextApprovers(next, '', { removed: 'k_glass' }, 3)).toMatchObject({ typ: 'ape-approvers/2', people });
  });

  it.each([
    ['the first type', listOf({ typ: 'ape-approvers/1', people: undefined })],
    ['the second type', listOf({ typ: 'ape-approvers/2' })],
    ['a later type', listOf({ typ: 'ape-approvers/4' })],
    ['no rules for people', listOf({ people: undefined })],
    ['no break-glass key, and the third type', listOf({ approvers: [owner] })],
    ['no other key', listOf({ approvers: [glass] })],
    [
      'only an approver with limits beside the break-glass key',
      listOf({
        approvers: [ada, glass],
        people: {
          ...NO_RULES,
          persons: [{ id: 's_ada', limits: { requesters: null, hosts: null, upTo: 'low' }, own: [] }],
        },
      }),
    ],
    ['a break-glass key of a person', listOf({ approvers: [owner, { ...glass, person: 's_ada' }] })],
    ['a break-glass key without an end', listOf({ approvers: [owner, { ...glass, expiresAtMs: undefined }] })],
    [
      'a break-glass key whose end is a text',
      listOf({ approvers: [owner, { ...glass, expiresAtMs: '9'.repeat(15) }] }),
    ],
    ['a break-glass key that never ends', listOf({ approvers: [owner, { ...glass, expiresAtMs: null }] })],
    [
      'an end on a key that is no break-glass key',
      listOf({ approvers: [owner, glass, { ...ada, expiresAtMs: KEY_ENDS }] }),
    ],
    [
      'a member breakGlass that is false',
      listOf({ approvers: [owner, glass, { ...owner, keyId: 'k_2', breakGlass: false }] }),
    ],
    [
      'a member breakGlass that is a text',
      listOf({ approvers: [owner, glass, { ...owner, keyId: 'k_2', breakGlass: 'true' }] }),
    ],
    [
      'a passkey as break-glass key',
      listOf({
        approvers: [
          owner,
          glass,
          {
            kind: 'passkey',
            keyId: 'p',
            name: 'P',
            publicKey: {},
            rpId: 'x',
            origins: [],
            breakGlass: true,
            expiresAtMs: 1,
          },
        ],
      }),
    ],
  ])('is malformed with %s', (_, list) => {
    expect(approversFault(JSON.parse(JSON.stringify(list)) as ApproversDocument)).toBe('shape');
  });

  it('is signed by an approver with another key, and needs an approver who stays', () => {
    expect([owner, ada, glass].map((one) => maySignLists(withCode, one))).toEqual([true, true, false]);
    expect(maySignWithout(withCode, 'k_owner')).toBe(false);
    expect(maySignWithout(withCode, 'k_glass')).toBe(true);
  });
});

const decision: DecisionDocument = {
  typ: 'ape-decision/1',
  server: 'server',
  grantId: 'g',
  requesterId: 'r',
  fingerprint: 'f',
  host: 'h',
  decision: 'approve',
  term: { kind: 'once' },
  expiresAtMs: NOW + BREAK_GLASS_MS,
  scope: null,
  confinement: null,
  decidedAtMs: NOW,
  approversSequence: 2,
};
const byCode = (change: object = {}): Signed => ({
  document: { ...decision, ...change } as DecisionDocument,
  by: glass,
});
/** Rules by which everything takes two people, and the owner may not decide for this requester. */
const STRICT: PeopleRules = {
  quorum: { low: 2, medium: 2, high: 2, critical: 2 },
  persons: [{ id: 's_owner', limits: null, own: ['r'] }],
  delegations: [],
};
const strict: ApproversDocument = { ...withCode, people: STRICT, approvers: [owner, ada, glass] };
const faultOf = (signed: readonly Signed[], nowMs = NOW) => peopleSealFault(strict, signed, null, nowMs);

describe('an approval that a break-glass key has sealed', () => {
  it('is valid alone, without limits and for any quorum', () => {
    expect(faultOf([byCode()])).toBeNull();
    expect(faultOf([{ ...byCode(), by: ada }])).toBe('quorum');
    expect(faultOf([{ ...byCode(), by: owner }])).toBe('limits');
  });

  it('is valid until the end of its key by the clock of the host, whenever it was given', () => {
    const endsSoon: Approver = { ...glass, expiresAtMs: NOW + 60_000 };
    const fault = (by: Approver, nowMs: number) => faultOf([{ ...byCode(), by }], nowMs);
    expect([NOW, NOW + 59_999, NOW + 60_000].map((nowMs) => fault(endsSoon, nowMs))).toEqual([
      null,
      null,
      'glass-expired',
    ]);
    expect(fault({ ...glass, expiresAtMs: NOW }, NOW)).toBe('glass-expired');
    const { expiresAtMs: _, ...endless } = glass as Extract<Approver, { kind: 'ed25519' }>;
    expect(fault(endless, NOW)).toBe('glass-expired'); // such a key is on no list
  });

  it('is not valid together with another seal', () => {
    expect(faultOf([byCode(), { ...byCode(), by: ada }])).toBe('apart');
    expect(faultOf([{ ...byCode(), by: ada }, byCode()])).toBe('apart');
    expect(faultOf([byCode(), byCode()])).toBe('apart');
  });

  it('gives no right by a delegation from an owner who has no key on the list', () => {
    const lim: Approver = { ...owner, keyId: 'k_lim', person: 's_lim' };
    const people: PeopleRules = {
      ...NO_RULES,
      persons: [{ id: 's_lim', limits: { requesters: [], hosts: null, upTo: 'low' }, own: [] }],
      delegations: [{ from: 's_owner', to: 's_lim', untilMs: NOW + 1 }],
    };
    const list: ApproversDocument = { ...withCode, people, approvers: [ada, lim, glass] };
    expect(peopleSealFault(list, [{ ...byCode(), by: lim }], 'low', NOW)).toBe('limits');
  });

  const END = NOW + BREAK_GLASS_MS;
  it.each([
    ['at once', {}, NOW, null],
    ['in the last millisecond', {}, END - 1, null],
    ['after 15 minutes', {}, END, 'glass-over'],
    ['dated as far ahead as clocks differ', { decidedAtMs: NOW + CLOCK_DIFFERENCE_MS }, NOW, null],
    ['dated further ahead', { decidedAtMs: NOW + CLOCK_DIFFERENCE_MS + 1 }, NOW, 'glass-early'],
    ['dated long ago', { decidedAtMs: NOW - BREAK_GLASS_MS }, NOW, 'glass-over'],
    ['for a term within the 15 minutes', { term: { kind: 'timed', untilMs: END }, expiresAtMs: null }, NOW, null],
    ['for a longer term', { term: { kind: 'timed', untilMs: END + 1 }, expiresAtMs: null }, NOW, 'glass-term'],
    ['for ever', { term: { kind: 'always' }, expiresAtMs: null }, NOW, 'glass-term'],
    ['for ever, with an end in the document', { term: { kind: 'always' } }, NOW, 'glass-term'],
    ['once, for longer', { expiresAtMs: END + 1 }, NOW, 'glass-term'],
    ['once, without an end', { expiresAtMs: null }, NOW, 'glass-term'],
    ['once, with a text as its end', { expiresAtMs: 'x' }, NOW, 'glass-term'],
    ['at a moment that is a text', { decidedAtMs: 'x' }, NOW, 'shape'],
    ['at no moment', { decidedAtMs: null }, NOW, 'shape'],
    ['at a moment between two milliseconds', { decidedAtMs: NOW + 0.5 }, NOW, 'shape'],
  ] as const)('is checked against the 15 minutes of the code: used or made %s', (_, change, nowMs, fault) => {
    expect(faultOf([byCode(change)], nowMs)).toBe(fault);
  });

  it('cannot be a policy, a list of approvers or a batch', () => {
    for (const typ of ['ape-policy/1', 'ape-approvers/3', 'ape-batch/1'])
      expect(faultOf([{ document: { ...decision, typ } as unknown as PolicyDocument, by: glass }])).toBe(
        'glass-document',
      );
  });

  it('is valid only within 15 minutes after a moment that this host has reached, whatever its dates are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -40 * 60_000, max: 40 * 60_000 }),
        fc.integer({ min: -40 * 60_000, max: 40 * 60_000 }),
        (decided, end) => {
          const decidedAtMs = NOW + decided;
          const timed = { term: { kind: 'timed', untilMs: NOW + end }, expiresAtMs: null, decidedAtMs };
          if (faultOf([byCode(timed)]) !== null) return;
          expect(decided).toBeGreaterThan(-BREAK_GLASS_MS);
          expect(decided).toBeLessThanOrEqual(CLOCK_DIFFERENCE_MS);
          expect(end - decided).toBeLessThanOrEqual(BREAK_GLASS_MS);
        },
      ),
    );
  });

  it('belongs to the first use of its key only if it ends at most 15 minutes after the first decision', () => {
    expect([NOW - 1, NOW, END, END + 1].map((end) => endsInFirstUse(end, NOW))).toEqual([true, true, true, false]);
    expect(endsInFirstUse(NOW, Number.NaN)).toBe(false);
  });

  it('is refused with a name and with advice', () => {
    for (const fault of [
      'glass-document',
      'glass-term',
      'glass-early',
      'glass-over',
      'glass-expired',
      'glass-spent',
    ] as const) {
      const { detail, message, advice } = sealFailure(fault);
      expect([detail, message.includes('break-glass key'), typeof advice]).toEqual([`seal.${fault}`, true, 'string']);
    }
  });
});
