/** The browsers that are signed in. */
import { Type } from 'typebox';
import { Id, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const SignInViewSchema = Type.Object({
  id: Id,
  browser: nullable(Type.String({ description: 'What the browser calls itself; null: it did not say' })),
  isThis: Type.Boolean({ description: 'The one that this call came with' }),
  createdAtMs: Milliseconds,
  lastSeenAtMs: Type.Integer({ description: 'Unix time in milliseconds; written at most once an hour' }),
  expiresAtMs: Milliseconds,
});
export type SignInView = Shape<typeof SignInViewSchema>;

export const SignInListSchema = Type.Object({ signIns: Type.Array(SignInViewSchema) });
export const EndedSignInsSchema = Type.Object({ ended: Type.Integer() });
