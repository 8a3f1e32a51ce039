/** `POST /v1/grants/:id/redeem`: uses an approved grant. */
import { Type } from 'typebox';
import { HostFactsSchema } from './host-facts.ts';
import { closed, Fingerprint, Nonce, type Shape } from './schema-parts.ts';

export const RedeemBodySchema = Type.Object(
  {
    fingerprint: Fingerprint,
    nonce: Nonce,
    sealedOnly: Type.Optional(Type.Literal(true)),
    findings: Type.Optional(HostFactsSchema),
  },
  closed,
);
/**
 * @property sealedOnly present if the host demands a seal. The server then refuses an approval without a seal. The approval is not used up
 * @property findings   the current host facts. Without host facts, the server refuses a grant that has a scope for commands. The grant is
 *                      not used up
 */
export type RedeemBody = Shape<typeof RedeemBodySchema>;

/** `permit`: a compact JWS with a `PermitPayload`. */
export const RedeemAnswerSchema = Type.Object({ permit: Type.String() });
