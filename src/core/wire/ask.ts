/** `POST /v1/requests`: uses a grant that covers the request, or files the request. */
import { Type } from 'typebox';
import { PIN_PLACES } from '../sealed/pin-place-text.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { GrantViewSchema } from './grant-view.ts';
import { HostFactsSchema } from './host-facts.ts';
import { ImpactsSchema } from './impact.ts';
import { closed, literals, Nonce, nullable, ReasonText, type Shape } from './schema-parts.ts';
import { TermSchema } from './term.ts';

export const AskBodySchema = Type.Object(
  {
    request: ExecutionRequestSchema,
    nonce: Nonce,
    reason: Type.Optional(ReasonText),
    proposedTerm: Type.Optional(TermSchema),
    findings: Type.Optional(nullable(HostFactsSchema)),
    touches: Type.Optional(nullable(ImpactsSchema)),
    sealedOnly: Type.Optional(Type.Literal(true)),
    pin: Type.Optional(literals(...PIN_PLACES)),
    batches: Type.Optional(Type.Literal(true)),
  },
  closed,
);
/**
 * @property nonce    16 to 64 characters of base64url, fresh for every call; the permit repeats it
 * @property findings the host facts; null: the host cannot look them up; absent: it has not looked them up yet
 * @property touches  the impact preview, shown to the approver only
 * @property sealedOnly whether only sealed approvals may cover the request, as the host demands
 * @property pin      where the pin of the host is, as the host says; shown to the approver only; absent: the host does not say
 * @property batches  whether the host verifies seals of batches; absent for an older host, which refuses such seals
 */
export type AskBody = Shape<typeof AskBodySchema>;

/** The answers by HTTP status. */
export const AskAnswerSchemas = {
  200: Type.Union([
    Type.Object({ outcome: Type.Literal('permitted'), permit: Type.String() }),
    Type.Object({ outcome: Type.Literal('wants-findings') }),
  ]),
  202: Type.Object({ outcome: Type.Literal('pending'), filed: Type.Boolean(), grant: GrantViewSchema }),
};
/**
 * `permitted`: covered and redeemed. `wants-findings`: nothing was filed; the host looks up host facts and asks again.
 * `pending`: filed; `filed` is false when the same request waited already.
 */
export type AskAnswer = Shape<(typeof AskAnswerSchemas)[keyof typeof AskAnswerSchemas]>;
