/** `POST /v1/grants/:id/approve`, `…/deny` and `…/revoke`. `version`: the version of the grant that the approver has seen. */
import { Type } from 'typebox';
import { MAX_IN_BATCH, MIN_IN_BATCH } from '../sealed/batch-limits.ts';
import { AssertionSchema } from './passkeys.ts';
import { closed, Id, ReasonText, type Shape } from './schema-parts.ts';
import { GrantScopeSchema } from './scope.ts';
import { DecisionDocumentSchema, PasskeySealSchema, SealedDecisionSchema } from './sealed.ts';
import { GivenTermSchema } from './term.ts';

const Version = Type.Integer({ minimum: 1 });
const given = {
  version: Version,
  term: GivenTermSchema,
  scope: Type.Optional(GrantScopeSchema),
  confined: Type.Optional(Type.Boolean({ description: 'Confine this exact request to the effects in its assessment' })),
};

/** `POST /v1/grants/:id/approval-document`: returns the document that has to be signed for this approval. */
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
/**
 * @property scope     absent: exactly the bytes of the request are approved
 * @property confined  absent: the same as `false`. `true` with `scope` is refused, because a scope decides the confinement
 * @property assertion the signature over the challenge of the error `passkey.needed`; absent in the first call
 * @property sealed    the document from `…/approval-document` and its seal; absent: the approval is not sealed
 */
export type ApproveBody = Shape<typeof ApproveBodySchema>;

export const DenyBodySchema = Type.Object({ version: Version, reason: Type.Optional(ReasonText) }, closed);
export type DenyBody = Shape<typeof DenyBodySchema>;

export const RevokeBodySchema = Type.Object({ version: Version }, closed);

const ofBatch = { minItems: MIN_IN_BATCH, maxItems: MAX_IN_BATCH };
const ShownGrants = Type.Array(Type.Object({ id: Id, version: Version }, closed), ofBatch);
export type ShownGrants = Shape<typeof ShownGrants>;

/** `POST /v1/approvals/document`: returns the documents of these approvals. One signature seals all of them. */
export const BatchToSealBodySchema = Type.Object({ grants: ShownGrants }, closed);

/** `POST /v1/approvals`: approves requests of one group. Each request is approved exactly as it is, for one use. */
export const ApproveBatchBodySchema = Type.Object(
  {
    grants: ShownGrants,
    assertion: Type.Optional(AssertionSchema),
    sealed: Type.Optional(
      Type.Object({ documents: Type.Array(DecisionDocumentSchema, ofBatch), seal: PasskeySealSchema }, closed),
    ),
  },
  closed,
);
/** @property sealed the documents of these grants, in the same order, and one signature over all documents; absent: there is no seal */
export type ApproveBatchBody = Shape<typeof ApproveBatchBodySchema>;

export const BatchAnswerSchema = Type.Object({
  approved: Type.Array(Type.String()),
  refused: Type.Array(Type.Object({ id: Type.String(), code: Type.String(), message: Type.String() })),
});
/**
 * @property approved the ids of the grants that are approved now
 * @property refused  the other grants, each with the reason; `code` is an `ErrorCode`, `message` is for people
 */
export type BatchAnswer = Shape<typeof BatchAnswerSchema>;
