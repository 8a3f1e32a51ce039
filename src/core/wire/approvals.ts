/** The approvals of a request that several people have to approve. The grant keeps them after the last person has approved. */
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
  termEndMs: Type.Optional(Milliseconds),
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
 * @property needed      how many people have to approve. The number depends on the risk of the request under this scope
 * @property term        the common term of all approvals. It ends at the earliest end that an approver chose
 * @property scope       null: the exact bytes are approved
 * @property confinement null: the approvers chose no confinement, or the scope decides it
 * @property given       one approval for each person, the oldest first
 */
export type Approvals = Shape<typeof ApprovalsSchema>;
/**
 * @property by        the id of the person
 * @property name      the name of this person at the moment of the approval
 * @property termEndMs the end of the term that this person chose; absent: the term has no end, or an earlier version of this program wrote
 *                     the record
 * @property untilMs   the end of the delegation that gave this person the right to decide; absent: the person needed no delegation
 * @property sealed    the sealed decision of this person; absent: the person approved without a seal
 */
export type GivenApproval = Approvals['given'][number];
