/** `POST /v1/grants/:id/approve`, `…/deny` and `…/revoke`. `version`: of the grant as it was shown. */
import { Type } from 'typebox';
import { AssertionSchema } from './passkeys.ts';
import { closed, ReasonText, type Shape } from './schema-parts.ts';
import { GrantScopeSchema } from './scope.ts';
import { SealedDecisionSchema } from './sealed.ts';
import { GivenTermSchema } from './term.ts';

const Version = Type.Integer({ minimum: 1 });
const given = {
  version: Version,
  term: GivenTermSchema,
  scope: Type.Optional(GrantScopeSchema),
  confined: Type.Optional(Type.Boolean({ description: 'Hold exactly this to what its reading says it does' })),
};

/** `POST /v1/grants/:id/approval-document`: what an approval with these words would be, to be signed. */
export const ApprovalToSealBodySchema = Type.Object(given, closed);

export const ApproveBodySchema = Type.Object(
  {
    ...given,
    assertion: Type.Optional(AssertionSchema),
    sealed: Type.Optional(SealedDecisionSchema),
    match: Type.Optional(
      Type.String({
        pattern: '^[0-9]{2}$',
        description: 'At high, critical and unknown risk: the number that the requester was shown',
      }),
    ),
  },
  closed,
);
export type ApproveBody = Shape<typeof ApproveBodySchema>;

export const DenyBodySchema = Type.Object({ version: Version, reason: Type.Optional(ReasonText) }, closed);
export type DenyBody = Shape<typeof DenyBodySchema>;

export const RevokeBodySchema = Type.Object({ version: Version }, closed);
