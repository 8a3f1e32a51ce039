/** `POST /v1/grants/:id/approve`, `…/deny` and `…/revoke`. `version`: that of the grant as it was shown. */
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
  confined: Type.Optional(
    Type.Boolean({ description: 'Confine this exact request to what its assessment says it does' }),
  ),
};

/** `POST /v1/grants/:id/approval-document`: returns the document of such an approval, to be signed. */
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
