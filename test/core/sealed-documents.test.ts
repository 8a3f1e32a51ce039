/** A seal binds every member of a document: changing, adding or removing a member changes the signed text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedUse, documentFault, type SealedUse } from '../../src/core/sealed/document-fault.ts';
import { isSameDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { DecisionDocument } from '../../src/core/wire/sealed.ts';
import { anyDocument, asDocument, changesOf, type Json } from './sealed-arbitrary.ts';

describe('the signed text', () => {
  it('differs for every document that differs anywhere', () => {
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

  it('begins with bytes with which no other signature of ours begins', () => {
    fc.assert(fc.property(anyDocument, (document) => sealedText(document)?.startsWith('ape-sealed/1\n{') === true));
  });
});

describe('the content of a document', () => {
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
  ])('with %j has the fault %s', (change, fault) => {
    expect(documentFault({ ...document, ...change } as DecisionDocument, use)).toBe(fault);
  });

  it('has one use for the term once, and the number of uses of its scope otherwise', () => {
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
