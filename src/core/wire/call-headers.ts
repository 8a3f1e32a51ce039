/** Headers of the API that a program may send. */
import { Type } from 'typebox';

/**
 * For calls that create something. A call that is repeated with the same key and body within 24 hours gets the first answer again.
 */
export const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description:
        'a call that is repeated with the same key and body within 24 hours does nothing, and gets the first answer again',
    }),
  ),
});

/** For calls that read. */
export const TagHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      maxLength: 1_024,
      description: 'the ETag of an earlier answer; if the answer is still the same, the status is 304',
    }),
  ),
});
