/** Headers that a program may send to the API. */
import { Type } from 'typebox';

/** For calls that create something. `doneOnce` (src/server/idempotency.ts) describes all cases. */
export const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,128}$',
      description:
        'if the first call created something, the same call with the same key within 24 hours does nothing, and gets the first answer again; if the first answer was a permit, the second call is refused',
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
