/** Headers of the API that a program may send. */
import { Type } from 'typebox';

/** On calls that create something: the same key and body are done once, and answered alike for 24 hours. */
export const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description: 'the same key and body are done once, and answered alike for 24 hours',
    }),
  ),
});

/** On calls that read. */
export const TagHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ maxLength: 1_024, description: 'the ETag of an answer before; 304 where it would be the same' }),
  ),
});
