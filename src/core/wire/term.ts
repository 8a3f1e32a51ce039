/** How long an approval is good for. */
import { Type } from 'typebox';
import { closed, Milliseconds } from './schema-parts.ts';

const Once = Type.Object({ kind: Type.Literal('once') }, closed);
const Timed = Type.Object({ kind: Type.Literal('timed'), untilMs: Milliseconds }, closed);
const Always = Type.Object({ kind: Type.Literal('always') }, closed);

export const TermSchema = Type.Union([Once, Timed, Always]);

const MAX_TERM_MS = 315_360_000_000; // ten years
/** As an approver gives it: a time may also be given from the moment of the decision. */
export const GivenTermSchema = Type.Union([
  Once,
  Timed,
  Type.Object({ kind: Type.Literal('timed'), forMs: Type.Integer({ minimum: 1, maximum: MAX_TERM_MS }) }, closed),
  Always,
]);
