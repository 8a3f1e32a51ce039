/** What a passkey signs for a change has a text of its own, or nothing is signed. */
import { expect, it } from 'vitest';
import type { ApproversDocument } from '../../src/core/wire/sealed.ts';
import { documentDigest } from '../../src/platform/approver-key.ts';
import { purposeOf } from '../../src/server/identity/confirm-by-passkey.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

it.each([[{ id: undefined }], [{ id: Number.POSITIVE_INFINITY }], [nested(150)], [undefined]])(
  'a change that JSON cannot express has no purpose: %s',
  (about) => {
    expect(purposeOf({ verb: 'remove', about })).toBeNull();
  },
);

it('another change is another purpose', () => {
  expect(purposeOf({ verb: 'remove', about: { id: 'a' } })).not.toBe(purposeOf({ verb: 'remove', about: { id: 'b' } }));
});

it('the digest of a document that JSON cannot express equals no other', () => {
  const document = { typ: 'ape-approvers/1', sequence: Number.NaN } as unknown as ApproversDocument;
  expect(documentDigest(document)).not.toBe(documentDigest(document));
});
