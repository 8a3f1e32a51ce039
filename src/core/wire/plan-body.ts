/** `POST /v1/plans`: files a plan. */
import { Type } from 'typebox';
import { MAX_PLAN_PARTS } from '../plan/plan-limits.ts';
import { PIN_PLACES } from '../sealed/pin-place-text.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { GrantViewSchema } from './grant-view.ts';
import { HostFactsSchema } from './host-facts.ts';
import { closed, literals, nullable, ReasonText, type Shape } from './schema-parts.ts';

export const PlanBodySchema = Type.Object(
  {
    request: ExecutionRequestSchema,
    reason: Type.Optional(ReasonText),
    findings: Type.Array(nullable(HostFactsSchema), { maxItems: MAX_PLAN_PARTS }),
    sealedOnly: Type.Optional(Type.Literal(true)),
    pin: Type.Optional(literals(...PIN_PLACES)),
    batches: Type.Optional(Type.Literal(true)),
  },
  closed,
);
/**
 * @property findings   the host facts of each part, in the order of the plan; null: the host could not find the facts of this part
 * @property sealedOnly present if the host accepts only a sealed approval of the plan
 * @property pin        the place of the host's pin, as the host reports it. The approver sees this place. Absent: the host reports no place
 * @property batches    present if the host verifies seals of batches; an older host refuses such seals
 */
export type PlanBody = Shape<typeof PlanBodySchema>;

/**
 * The answers, by HTTP status.
 * - `approved`: an approval of this plan is already in force; nothing was filed
 * - `pending`:  the plan waits for a decision; `filed` is false if the same plan was waiting already
 */
export const PlanAnswerSchemas = {
  200: Type.Object({ outcome: Type.Literal('approved'), grant: GrantViewSchema }),
  202: Type.Object({ outcome: Type.Literal('pending'), filed: Type.Boolean(), grant: GrantViewSchema }),
};
