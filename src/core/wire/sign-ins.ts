/** The browsers that are signed in. */
import { Type } from 'typebox';
import { Id, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const SignInViewSchema = Type.Object({
  id: Id,
  browser: nullable(Type.String({ description: 'The name of the browser, as it says itself; null: it does not' })),
  isThis: Type.Boolean({ description: 'Whether this call came from it' }),
  createdAtMs: Milliseconds,
  lastSeenAtMs: Type.Integer({ description: 'Unix time in milliseconds; written at most once an hour' }),
  expiresAtMs: Milliseconds,
});
export type SignInView = Shape<typeof SignInViewSchema>;

export const SignInListSchema = Type.Object({ signIns: Type.Array(SignInViewSchema) });
export const EndedSignInsSchema = Type.Object({ ended: Type.Integer() });
