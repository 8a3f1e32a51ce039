/** What an approver is offered for a request, and what a scope of their own would be. */
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
 * What a scope would have covered of what this requester asked for before.
 * @property of      requests that were looked at: the last ones with host facts
 * @property samples texts of some that were covered, the newest first, none twice; at most five
 */
export type WouldHaveCovered = Shape<typeof WouldHaveCoveredSchema>;

const ProposalViewSchema = Type.Object({
  id: Type.String(),
  title: Type.String(),
  scope: nullable(ProposedScopeSchema),
  held: nullable(HeldSchema),
  wouldHaveCovered: WouldHaveCoveredSchema,
});
export type ProposalView = Shape<typeof ProposalViewSchema>;

/** `GET /v1/grants/:id/proposals` */
export const ProposalsAnswerSchema = Type.Object({
  assessment: nullable(AssessmentViewSchema),
  proposals: Type.Array(ProposalViewSchema),
});
/** @property assessment null for kinds of requests that are not read as a line */
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
