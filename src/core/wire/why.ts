/** `GET /v1/grants/:id/why`: who decided, what the approver could choose, and what ran under the grant. */
import { Type } from 'typebox';
import { AssessmentViewSchema } from './assessment-view.ts';
import { ConfinementLevelSchema } from './confinement.ts';
import { GrantViewSchema } from './grant-view.ts';
import { Moment, nullable, type Shape } from './schema-parts.ts';

const UseViewSchema = Type.Object({
  atMs: Moment,
  line: nullable(Type.String()),
  others: Type.Array(Type.String()),
  confinement: nullable(ConfinementLevelSchema),
});
/**
 * @property line        the text of the line, or the file operations, from the audit log; null: the audit log has no text for this use
 * @property others      the ids of the other grants and policies that helped to cover the line; empty: this grant covered the line alone
 * @property confinement the level at which the line ran; null: no level was recorded
 */
export type UseView = Shape<typeof UseViewSchema>;

export const WhyAnswerSchema = Type.Object({
  grant: GrantViewSchema,
  decidedBy: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  assessment: nullable(AssessmentViewSchema),
  proposals: Type.Array(Type.String()),
  coverable: Type.Object({ isCoverable: Type.Boolean(), advice: Type.Array(Type.String()) }),
  uses: Type.Array(UseViewSchema),
});
/**
 * @property decidedBy who approved, denied or (later) revoked the grant; null: the grant is not decided
 * @property assessment null: the request is for file operations, a script or the standard input of bash
 * @property proposals the titles of the approver's choices: first the exact request, then the scopes, the widest last
 * @property coverable `isCoverable`: whether a standing grant can cover such a request. `advice`: why no standing grant can cover the
 *                     request, or why the present grants do not cover the request. `advice` can be empty
 * @property uses      the last uses, the newest first; at most 20
 */
export type WhyAnswer = Shape<typeof WhyAnswerSchema>;
