/** `POST /v1/explain`: what the server would decide about a request now. The call files, uses and records nothing. */
import { Type } from 'typebox';
import { HeldSchema } from './confinement.ts';
import { CoveredBySchema } from './covered-by.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { HostFactsSchema } from './host-facts.ts';
import { closed, nullable, type Shape } from './schema-parts.ts';

export const ExplainBodySchema = Type.Object(
  { request: ExecutionRequestSchema, findings: nullable(HostFactsSchema) },
  closed,
);
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
 * - `forbidden`: a rule would forbid it; `reason` is the reason of the rule
 * - `covered`:   it would run, under these grants or policies together, or under the one grant for exactly this request
 * - `uncovered`: it would wait for a human
 * @property held      the confinement that it would have; null: the grant for exactly this request has no confinement
 * @property misses    why none of the standing grants covers it
 * @property deciding  the variables of the request that make its risk unknown, because no request with their values was approved before;
 *                     absent: no variable does so, or the server does not report them
 * @property proposals titles of the scopes that an approver would be offered, the narrowest first
 */
export type ExplainAnswer = Shape<typeof ExplainAnswerSchema>;
