/** `POST /v1/explain`: what the server would decide about a request now. The server files no request, and uses no grant. */
import { Type } from 'typebox';
import { HeldSchema } from './confinement.ts';
import { CoveredBySchema } from './covered-by.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { HostFactsSchema } from './host-facts.ts';
import { closed, nullable, type Shape } from './schema-parts.ts';

export const ExplainBodySchema = Type.Object(
  {
    request: ExecutionRequestSchema,
    findings: nullable(HostFactsSchema),
    sealedOnly: Type.Optional(Type.Literal(true)),
  },
  closed,
);
/**
 * @property sealedOnly present if the host demands that only a sealed approval covers the request
 * @property findings   the host facts; null: the host could not look up the facts
 */
export type ExplainBody = Shape<typeof ExplainBodySchema>;

export const ExplainAnswerSchema = Type.Union([
  Type.Object({ outcome: Type.Literal('forbidden'), ruleId: Type.String(), reason: Type.String() }),
  Type.Object({
    outcome: Type.Literal('covered'),
    isExact: Type.Boolean(),
    coveredBy: Type.Array(CoveredBySchema),
    held: nullable(HeldSchema),
  }),
  Type.Object({
    outcome: Type.Literal('uncovered'),
    misses: Type.Array(Type.String()),
    proposals: Type.Array(Type.String()),
    deciding: Type.Optional(Type.Array(Type.String())),
  }),
]);
/**
 * - `forbidden`: a rule would forbid the request; `reason` is the reason of the rule
 * - `covered`:   the grants and policies of `coveredBy` together cover the request. `isExact`: one grant, or one part of a plan, is for
 *                exactly this request
 * - `uncovered`: the request would wait for a human
 * @property held      the confinement of the request; null: the request is not a command line, or was approved exactly and unconfined
 * @property misses    why each standing grant does not cover the request; empty if no scope for commands can cover the request
 * @property deciding  the names of the deciding variables that make the risk unknown. Absent: there are no such variables, or the server
 *                     does not report their names
 * @property proposals titles of the scopes that the server would offer to an approver, the narrowest first
 */
export type ExplainAnswer = Shape<typeof ExplainAnswerSchema>;
