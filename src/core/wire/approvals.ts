/** Approvals of one request by several people, while more are needed and afterwards. */
import { Type } from 'typebox';
import { ConfinementSchema } from './confinement.ts';
import { Milliseconds, nullable, type Shape } from './schema-parts.ts';
import { GrantScopeSchema } from './scope.ts';
import { SealedDecisionSchema } from './sealed.ts';
import { TermSchema } from './term.ts';

const GivenApprovalSchema = Type.Object({
  by: Type.String(),
  name: Type.String(),
  atMs: Milliseconds,
  untilMs: Type.Optional(Milliseconds),
  sealed: Type.Optional(SealedDecisionSchema),
});

export const ApprovalsSchema = Type.Object({
  needed: Type.Integer(),
  term: TermSchema,
  scope: nullable(GrantScopeSchema),
  confinement: nullable(ConfinementSchema),
  given: Type.Array(GivenApprovalSchema),
});
/**
 * @property needed how many people it takes, by the risk of these words
 * @property term   with the earliest end of all that were given
 * @property given  in the order in which they came, each by another person; `untilMs`: what this one approves for another
 *                  person ends with the delegation
 */
export type Approvals = Shape<typeof ApprovalsSchema>;
export type GivenApproval = Approvals['given'][number];
