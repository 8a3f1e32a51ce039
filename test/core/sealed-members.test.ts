/** A seal binds every member that the schemas of documents have. The documents are made from the schemas, so a new member is covered too. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sealedText } from '../../src/core/sealed/sealed-text.ts';
import { DecisionDocumentSchema, SealedApproversSchema, SealedPolicySchema } from '../../src/core/wire/sealed.ts';
import { anyValueOf, membersIn, membersOf } from './schema-arbitrary.ts';
import { asDocument, changesOf } from './sealed-arbitrary.ts';

it.each([
  ['a decision', DecisionDocumentSchema, 60],
  ['a policy', SealedPolicySchema.properties.document, 20],
  ['a list of approvers', SealedApproversSchema.properties.document, 20],
] as const)('each member of %s changes the signed text', (_, schema, atLeast) => {
  const all = new Set(membersOf(schema));
  expect(all.size).toBeGreaterThanOrEqual(atLeast);
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyValueOf(schema), (value) => {
      const text = sealedText(asDocument(value));
      expect(text).not.toBeNull();
      for (const changed of changesOf(value))
        if (sealedText(asDocument(changed)) === text) throw new Error(JSON.stringify(changed));
      for (const member of membersIn(value)) seen.add(member);
    }),
    { numRuns: 100, seed: 12 },
  );
  expect([...all].filter((member) => !seen.has(member))).toEqual([]);
});
