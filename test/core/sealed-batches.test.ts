/** One signature over several decisions: its text binds every digest, and is never the text of another document. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchText, mayBeInBatch } from '../../src/core/sealed/batch.ts';
import { MAX_IN_BATCH, MIN_IN_BATCH } from '../../src/core/sealed/batch-limits.ts';
import { type SealableDocument, sealedText } from '../../src/core/sealed/sealed-text.ts';
import type { DecisionDocument } from '../../src/core/wire/sealed.ts';

const anyDigest = fc.stringMatching(/^[0-9a-f]{64}$/);
const anyBatch = fc.uniqueArray(anyDigest, { minLength: MIN_IN_BATCH, maxLength: MAX_IN_BATCH });
const digests = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => at.toString(16).padStart(64, '0'));

/** Every list of digests that differs from `batch` in one place. */
function* changesOf(batch: readonly string[]): Generator<readonly string[]> {
  for (const [at, digest] of batch.entries()) {
    yield batch.with(at, (digest[0] === '0' ? '1' : '0') + digest.slice(1));
    yield batch.with(at, digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0'));
    yield batch.toSpliced(at, 1);
    if (at > 0) yield batch.with(at, batch[at - 1] ?? '').with(at - 1, digest);
  }
  yield [...batch, 'f'.repeat(64)];
  yield ['e'.repeat(64), ...batch];
}

describe('the signed text of a batch', () => {
  it('differs for every batch that differs anywhere: in a digest, in the order or in the number', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const text = batchText(batch);
        expect(text).not.toBeNull();
        for (const changed of changesOf(batch)) expect(batchText(changed)).not.toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('is the text of no decision, policy or list of approvers, whatever members these have', () => {
    const typ = fc.constantFrom('ape-decision/1', 'ape-policy/1', 'ape-approvers/1', 'ape-approvers/2');
    fc.assert(
      fc.property(anyBatch, typ, fc.dictionary(fc.string(), fc.jsonValue()), (batch, other, members) => {
        const document = { ...members, digests: batch, typ: other } as unknown as SealableDocument;
        expect(sealedText(document)).not.toBe(batchText(batch));
      }),
    );
  });

  it('begins with bytes with which no other signature of ours begins, and names its type', () => {
    expect(batchText(digests(2))).toBe(
      `ape-sealed/1\n{"digests":["${'0'.repeat(64)}","${'0'.repeat(63)}1"],"typ":"ape-batch/1"}`,
    );
  });

  it.each([
    ['no digest', []],
    ['one digest', digests(1)],
    ['a digest twice', [...digests(2), ...digests(1)]],
    ['more than a batch may have', digests(MAX_IN_BATCH + 1)],
    ['a digest in capitals', [...digests(2), 'A'.repeat(64)]],
    ['a digest that is too short', [...digests(2), 'a'.repeat(63)]],
    ['a digest that is too long', [...digests(2), 'a'.repeat(65)]],
    ['a digest with a line end', [...digests(2), `${'a'.repeat(64)}\n`]],
    ['a list in place of a digest', [...digests(2), ['a'.repeat(64)]]],
    ['null in place of a digest', [...digests(2), null]],
    ['a text', 'a'.repeat(64)],
    ['an object', { length: 2, 0: 'a'.repeat(64), 1: 'b'.repeat(64) }],
    ['null', null],
  ])('does not exist for %s', (_, batch) => {
    expect(batchText(batch as readonly string[])).toBeNull();
  });

  it('exists for the smallest and the largest batch', () => {
    expect(batchText(digests(MIN_IN_BATCH))).not.toBeNull();
    expect(batchText(digests(MAX_IN_BATCH))).not.toBeNull();
  });
});

describe('the decisions in a batch', () => {
  const once = { typ: 'ape-decision/1', term: { kind: 'once' }, scope: null } as unknown as DecisionDocument;
  const commands = { kind: 'commands', patterns: [], conditions: {}, mostUses: 1 };
  const plan = { kind: 'plan', parts: [] };

  it.each([
    ['an approval of exact bytes for one use', {}, true],
    ['an approval for a time', { term: { kind: 'timed', untilMs: 1 } }, false],
    ['an approval for always', { term: { kind: 'always' } }, false],
    ['a scope for commands', { scope: commands }, false],
    ['a scope for files', { scope: { operations: ['write'], pathPrefix: '/' } }, false],
    ['a plan', { scope: plan, term: { kind: 'timed', untilMs: 1 } }, false],
    ['a plan with the term once', { scope: plan }, false],
    ['a policy', { typ: 'ape-policy/1' }, false],
    ['a list of approvers', { typ: 'ape-approvers/1' }, false],
    ['another batch', { typ: 'ape-batch/1' }, false],
  ])('may include %s: %s', (_, change, isAllowed) => {
    expect(mayBeInBatch({ ...once, ...change } as unknown as SealableDocument)).toBe(isAllowed);
  });
});
