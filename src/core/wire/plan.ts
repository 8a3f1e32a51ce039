/**
 * Plans: what a requester sends, and which scopes an approver can give to the parts. The sheet shows the parts as they were planned,
 * approved and used.
 */
import { Type } from 'typebox';
import { MAX_PART_PATHS, MAX_PART_TEXT, MAX_PLAN_MS, MAX_PLAN_PARTS } from '../plan/plan-limits.ts';
import { AssessmentViewSchema } from './assessment-view.ts';
import { HeldSchema } from './confinement.ts';
import { closed, Fingerprint, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';
import { CommandScopeSchema, PartNumber, PartUses } from './scope.ts';

const PlanPartSchema = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: MAX_PART_TEXT,
      description: 'The line, as it would be given to `ape-shell -c`',
    }),
    cwd: Type.String({ pattern: '^/', maxLength: 8192, description: 'Absolute path' }),
    as: Type.String({ pattern: '^[a-z-]{1,30}$', description: '`exact`, or the id of a proposal for this line' }),
    uses: PartUses,
    paths: Type.Optional(
      Type.Array(Type.String({ pattern: '^/', maxLength: 8192 }), {
        minItems: 1,
        maxItems: MAX_PART_PATHS,
        description: 'Directories; each path that the line touches must be one of them or lie below one of them',
      }),
    ),
  },
  closed,
);
export type PlanPart = Shape<typeof PlanPartSchema>;

export const PlanSchema = Type.Object(
  {
    order: Type.Boolean({
      description:
        'Whether a part can be used only after the part before it was used at least once. A part that was struck out does not count.',
    }),
    end: Type.Union([
      Type.Object({ forMs: Type.Integer({ minimum: 1, maximum: MAX_PLAN_MS }) }, closed),
      Type.Object({ untilMs: Milliseconds }, closed),
    ]),
    parts: Type.Array(PlanPartSchema, { minItems: 1, maxItems: MAX_PLAN_PARTS }),
  },
  closed,
);
/** @property end when the plan ends. `forMs`: a duration from the approval; `untilMs`: Unix ms */
export type Plan = Shape<typeof PlanSchema>;

const PartOfferSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  scope: nullable(CommandScopeSchema),
  held: nullable(HeldSchema),
});
/**
 * What an approver may give to a part. If `scope` is null, the offer approves exactly the part's line. A scope is never wider than the
 * requester asked for.
 * @property id   as in `ProposalView`
 * @property held the confinement of the part's line under `scope`; null: no confinement. If `scope` is null, ignore `held`: such a part
 *                runs without a confinement
 */
export type PartOffer = Shape<typeof PartOfferSchema>;

const PartUseSchema = Type.Object({ atMs: Milliseconds, line: Type.String() });

const PartSheetSchema = Type.Object({
  part: PartNumber,
  text: Type.String(),
  cwd: Type.String(),
  as: Type.String(),
  wantedUses: Type.Integer(),
  fingerprint: Fingerprint,
  risk: literals('low', 'medium', 'high', 'critical', 'unknown'),
  assessment: nullable(AssessmentViewSchema),
  offers: Type.Array(PartOfferSchema),
  given: nullable(Type.Object({ title: Type.String(), uses: Type.Integer(), held: nullable(HeldSchema) })),
  state: literals('asked', 'struck', 'next', 'later', 'done'),
  used: Type.Integer(),
  runs: Type.Array(PartUseSchema),
});
/**
 * @property fingerprint the fingerprint of a request for exactly this line in this directory
 * @property offers the offers for the part, the narrowest first; the last offer is what the requester asked for. Empty in two cases: the
 *                  plan is not pending, or the server can no longer offer what the requester asked for
 * @property given  what the approver gave; null: the plan is not approved, or the approver struck the part out. `held`: the confinement of
 *                  the part's line under the given scope; null: exactly the line is approved, or the scope gives no confinement
 * @property state  does not say whether the plan has ended
 *                  - `asked`:  the plan was not approved
 *                  - `struck`: the approver struck the part out
 *                  - `next`:   the part can be used now; without an order, several parts can have this state
 *                  - `later`:  the plan has an order, and the part before this part was not used yet
 *                  - `done`:   the part is used up
 * @property used   how often the part was used
 * @property runs   the last uses of the part, the newest first; at most 20
 */
export type PartSheet = Shape<typeof PartSheetSchema>;

/** `GET /v1/plans/:id`: the parts in the order of the plan. */
export const PlanSheetSchema = Type.Object({ parts: Type.Array(PartSheetSchema) });
export type PlanSheet = Shape<typeof PlanSheetSchema>;
