/** The term: how long an approval lasts. */
import { Type } from 'typebox';
import { closed, Milliseconds } from './schema-parts.ts';

const Once = Type.Object({ kind: Type.Literal('once') }, closed);
const Timed = Type.Object({ kind: Type.Literal('timed'), untilMs: Milliseconds }, closed);
const Always = Type.Object({ kind: Type.Literal('always') }, closed);

export const TermSchema = Type.Union([Once, Timed, Always]);

const MAX_TERM_MS = 315_360_000_000; // ten years
/** The term as an approver gives it. Here, a `timed` term may also be a duration that begins with the decision. */
export const GivenTermSchema = Type.Union([
  Once,
  Timed,
  Type.Object({ kind: Type.Literal('timed'), forMs: Type.Integer({ minimum: 1, maximum: MAX_TERM_MS }) }, closed),
  Always,
]);
