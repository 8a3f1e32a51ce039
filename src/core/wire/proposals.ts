/** The proposals for a request, and the preview of a scope that an approver has changed. */
import { Type } from 'typebox';
import { AssessmentViewSchema } from './assessment-view.ts';
import { HeldSchema } from './confinement.ts';
import { closed, nullable, type Shape } from './schema-parts.ts';
import { CommandScopeSchema, FetchScopeSchema, ScopeFaultSchema, ToolScopeSchema } from './scope.ts';

const ProposedScopeSchema = Type.Union([CommandScopeSchema, ToolScopeSchema, FetchScopeSchema]);

const WouldHaveCoveredSchema = Type.Object({
  count: Type.Integer(),
  of: Type.Integer(),
  samples: Type.Array(Type.String()),
});
/**
 * How many past requests of this requester a scope would have covered. Requests that every scope covers (`echo TEXT`) are left out.
 * @property count   how many of the examined requests the scope would have covered
 * @property of      how many requests were examined: the newest requests that have host facts, at most 200
 * @property samples the texts of at most five covered requests, the newest first, each text once and cut after 400 characters
 */
export type WouldHaveCovered = Shape<typeof WouldHaveCoveredSchema>;

const ProposalViewSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  scope: nullable(ProposedScopeSchema),
  held: nullable(HeldSchema),
  wouldHaveCovered: WouldHaveCoveredSchema,
  whyOnlyExact: Type.Optional(
    Type.String({ description: 'Only if `exact` is the only proposal: why no wider scope may be given' }),
  ),
});
/**
 * @property id    unique among the proposals of the request; for example `exact`
 * @property scope null: only exactly this request
 * @property held  the confinement that the proposal brings; null: no confinement. The confinement of `exact` takes effect only if the
 *                 approver chooses it
 * @property whyOnlyExact why no wider scope may be given; missing: there is a wider proposal, or the reason is not known
 */
export type ProposalView = Shape<typeof ProposalViewSchema>;

/** `GET /v1/grants/:id/proposals` */
export const ProposalsAnswerSchema = Type.Object({
  assessment: nullable(AssessmentViewSchema),
  proposals: Type.Array(ProposalViewSchema),
});
/**
 * @property assessment null: the request is for file operations, a script or the standard input of bash
 * @property proposals  `exact` first, the widest last; empty for a plan
 */
export type ProposalsAnswer = Shape<typeof ProposalsAnswerSchema>;

/** `POST /v1/grants/:id/preview` */
export const PreviewBodySchema = Type.Object({ scope: CommandScopeSchema }, closed);

export const PreviewAnswerSchema = Type.Union([
  Type.Object({ outcome: Type.Literal('fault'), fault: ScopeFaultSchema }),
  Type.Object({
    outcome: Type.Literal('fits'),
    title: Type.String(),
    held: nullable(HeldSchema),
    wouldHaveCovered: WouldHaveCoveredSchema,
  }),
]);
export type PreviewAnswer = Shape<typeof PreviewAnswerSchema>;
