/** Sign-ins: the browsers in which the caller is signed in. */
import { Type } from 'typebox';
import { Id, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const SignInViewSchema = Type.Object({
  id: Id,
  browser: nullable(Type.String({ description: 'The name that the browser gives itself; null: it gives no name' })),
  isThis: Type.Boolean({ description: 'Whether this call came from this sign-in' }),
  createdAtMs: Milliseconds,
  lastSeenAtMs: Type.Integer({ description: 'Unix time in milliseconds; written at most once an hour' }),
  expiresAtMs: Milliseconds,
});
export type SignInView = Shape<typeof SignInViewSchema>;

export const SignInListSchema = Type.Object({ signIns: Type.Array(SignInViewSchema) });
/** @property ended how many sign-ins were ended */
export const EndedSignInsSchema = Type.Object({ ended: Type.Integer() });
