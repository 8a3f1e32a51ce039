/** Headers of the API that a program may send. */
import { Type } from 'typebox';

/**
 * For calls that create something: a repeated call with the same key and body, within 24 hours, gets the first answer.
 */
export const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description:
        'a repeated call with the same key and body, within 24 hours, is not done again and gets the first answer',
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
