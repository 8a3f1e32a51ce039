/** `POST /v1/grants/:id/redeem`: to use an approved grant. */
import { Type } from 'typebox';
import { closed, Fingerprint, Nonce, type Shape } from './schema-parts.ts';

export const RedeemBodySchema = Type.Object(
  { fingerprint: Fingerprint, nonce: Nonce, sealedOnly: Type.Optional(Type.Literal(true)) },
  closed,
);
/** @property sealedOnly the host demands a seal: an approval without one is refused, and not used up */
export type RedeemBody = Shape<typeof RedeemBodySchema>;

export const RedeemAnswerSchema = Type.Object({ permit: Type.String() });
