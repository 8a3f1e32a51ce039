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
 * @property nonce        16 to 64 characters of base64url, new in every call; the permit repeats the nonce
 * @property proposedTerm the term that the requester proposes to the approver; absent: `once`
 * @property findings     the host facts; null: the host cannot look them up; absent: the host has not looked them up yet
 * @property touches      the impact preview for the approver; null or absent: there is no preview
 * @property sealedOnly   present if the host accepts only a sealed approval
 * @property pin          where the host says that it keeps its pin. The approver sees this place. Absent: the host does not say where
 * @property batches      present if the host verifies seals of batches; an older host refuses such seals
 */
export type AskBody = Shape<typeof AskBodySchema>;

/** The answers, by HTTP status. */
export const AskAnswerSchemas = {
  200: Type.Union([
    Type.Object({ outcome: Type.Literal('permitted'), permit: Type.String() }),
    Type.Object({ outcome: Type.Literal('wants-findings') }),
  ]),
  202: Type.Object({ outcome: Type.Literal('pending'), filed: Type.Boolean(), grant: GrantViewSchema }),
};
/**
 * - `permitted`:      a grant covers the request, and this call has used the grant
 * - `wants-findings`: nothing was filed; the host has to look up the host facts and ask again
 * - `pending`:        the request waits for a decision; `filed` is false if the same request was waiting before
 */
export type AskAnswer = Shape<(typeof AskAnswerSchemas)[keyof typeof AskAnswerSchemas]>;
