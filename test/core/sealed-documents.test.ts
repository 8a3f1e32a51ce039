/** A seal binds every member of a document: to change, add or remove one changes the text that is signed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedUse, documentFault, type SealedUse } from '../../src/core/sealed/document-fault.ts';
import { isSameDocument, type SealableDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { ApproversDocument, DecisionDocument, PolicyDocument } from '../../src/core/wire/sealed.ts';

const anyId = fc.stringMatching(/^[a-z2-7]{1,20}$/);
const anyTerm = fc.oneof(
  fc.constant({ kind: 'once' as const }),
  fc.constant({ kind: 'always' as const }),
  fc.record({ kind: fc.constant('timed' as const), untilMs: fc.nat() }),
);
const anyScope = fc.record({
  kind: fc.constant('commands' as const),
  patterns: fc.array(fc.record({ operations: fc.array(fc.string()), options: fc.constant('any' as const) })),
  conditions: fc.record({
    host: fc.string(),
    user: fc.string(),
    environment: fc.array(fc.record({ name: fc.string() })),
  }),
  mostUses: fc.option(fc.nat()),
});
const common = {
  server: anyId,
  requesterId: anyId,
  host: fc.string(),
  decidedAtMs: fc.nat(),
  approversSequence: fc.nat(),
};
const anyDecision = fc.record({
  typ: fc.constant('ape-decision/1'),
  ...common,
  grantId: anyId,
  fingerprint: anyId,
  decision: fc.constant('approve'),
  term: anyTerm,
  expiresAtMs: fc.option(fc.nat()),
  scope: fc.option(anyScope),
  confinement: fc.option(fc.record({ level: fc.constantFrom(1, 2, 3), read: fc.array(fc.string()) })),
}) as unknown as fc.Arbitrary<DecisionDocument>;
const anyPolicy = fc.record({
  typ: fc.constant('ape-policy/1'),
  ...common,
  policyId: anyId,
  effect: fc.constant('allow-reading'),
  rule: anyScope,
}) as unknown as fc.Arbitrary<PolicyDocument>;
const anyApprovers = fc.record({
  typ: fc.constant('ape-approvers/1'),
  server: anyId,
  sequence: fc.nat(),
  previous: fc.option(anyId),
  approvers: fc.array(fc.record({ kind: fc.constant('ed25519'), keyId: anyId, name: fc.string(), publicKey: anyId })),
  decidedAtMs: fc.nat(),
}) as unknown as fc.Arbitrary<ApproversDocument>;
const anyDocument: fc.Arbitrary<SealableDocument> = fc.oneof(anyDecision, anyPolicy, anyApprovers);

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Every value that differs from `value` in one place. */
function* changesOf(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const changed of changesOf(item)) yield value.with(at, changed) as Json;
    yield [...value, 'one more'];
    if (value.length > 0) yield value.slice(1);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as { readonly [name: string]: Json };
    for (const [name, item] of Object.entries(members)) {
      for (const changed of changesOf(item)) yield { ...members, [name]: changed };
      const { [name]: _, ...rest } = members;
      yield rest;
    }
    yield { ...members, oneMore: true };
  } else {
    yield typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : 'x';
    yield value === null ? 0 : null;
    yield [value];
  }
}

const asDocument = (value: Json) => value as unknown as SealableDocument;

describe('the signed text', () => {
  it('is another one for every document that differs anywhere', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const text = sealedText(document);
        for (const changed of changesOf(document as unknown as Json))
          expect(sealedText(asDocument(changed))).not.toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same for any order of the members, and after JSON', () => {
    const shuffled = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(shuffled)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, item]) => [name, shuffled(item)]),
            )
          : value;
    fc.assert(
      fc.property(anyDocument, (document) => {
        const other = asDocument(shuffled(JSON.parse(JSON.stringify(document)) as Json));
        expect(isSameDocument(document, other)).toBe(true);
      }),
    );
  });

  it('begins with what no other signature of ours begins with', () => {
    fc.assert(fc.property(anyDocument, (document) => sealedText(document)?.startsWith('ape-sealed/1\n{') === true));
  });
});

describe('what a document is about', () => {
  const use: SealedUse = { server: 'k', requesterId: 'r', host: 'h', grantId: 'g', nowMs: 1_000 };
  const document = {
    typ: 'ape-decision/1',
    server: 'k',
    grantId: 'g',
    requesterId: 'r',
    fingerprint: 'f',
    host: 'h',
    decision: 'approve',
    term: { kind: 'timed', untilMs: 1_001 },
    expiresAtMs: null,
    scope: null,
    confinement: null,
    decidedAtMs: 500,
    approversSequence: 1,
  } as const satisfies DecisionDocument;

  it.each([
    [{}, null],
    [{ server: 'x' }, 'server'],
    [{ requesterId: 'x' }, 'requester'],
    [{ host: 'x' }, 'host'],
    [{ grantId: 'x' }, 'grant'],
    [{ decision: 'deny' }, 'shape'],
    [{ typ: 'ape-approvers/1' }, 'shape'],
    [{ term: { kind: 'timed', untilMs: 1_000 } }, 'over'],
    [{ term: { kind: 'once' } }, 'over'],
    [{ term: { kind: 'once' }, expiresAtMs: 1_001 }, null],
    [{ term: { kind: 'once' }, expiresAtMs: 1_000 }, 'over'],
    [{ term: { kind: 'other' } }, 'shape'],
  ])('%j: %s', (change, fault) => {
    expect(documentFault({ ...document, ...change } as DecisionDocument, use)).toBe(fault);
  });

  it('is one use of what is sealed once, and as many as its scope says', () => {
    expect(countedUse({ ...document, term: { kind: 'once' } }, undefined)?.most).toBe(1);
    expect(countedUse(document, undefined)).toBeNull();
    const scope = {
      kind: 'commands',
      patterns: [],
      conditions: {},
      mostUses: 3,
    } as unknown as DecisionDocument['scope'];
    expect(countedUse({ ...document, scope }, undefined)?.most).toBe(3);
  });
});
