/**
 * The schemas of `/v1/policies`, and of the event `policy` of a stream. A policy forbids something, or allows reading without a grant.
 * `core/policy/policy.ts` and `core/scope/command-scope.ts` explain the members of a policy.
 */
import { Type } from 'typebox';
import { closed, Id, Moment, nullable, ScopeText, type Shape } from './schema-parts.ts';
import { CommandScopeSchema, ResourcePatternSchema } from './scope.ts';
import { SealedPolicySchema } from './sealed.ts';

export const DenyPatternSchema = Type.Object(
  {
    operations: Type.Array(ScopeText, { minItems: 1, maxItems: 200 }),
    resources: Type.Array(ResourcePatternSchema, { maxItems: 200 }),
  },
  closed,
);

const PolicyReason = Type.String({ minLength: 1, maxLength: 1000 });

export const PolicyBodySchema = Type.Union([
  Type.Object(
    {
      effect: Type.Literal('deny'),
      requesterId: nullable(Id),
      text: nullable(ScopeText),
      pattern: nullable(DenyPatternSchema),
      reason: PolicyReason,
    },
    closed,
  ),
  Type.Object(
    {
      effect: Type.Literal('allow-reading'),
      requesterId: Id,
      directories: Type.Array(Type.String({ pattern: '^/', maxLength: 8192 }), { minItems: 1, maxItems: 50 }),
      environmentOf: Id,
      reason: Type.Optional(PolicyReason),
      sealed: Type.Optional(SealedPolicySchema),
    },
    closed,
  ),
]);
/**
 * `POST /v1/policies`
 * @property requesterId   null (only with the effect `deny`): the policy is for every requester
 * @property text          exactly one of `text` and `pattern` is null
 * @property directories   the directories below which the policy allows reading; absolute, resolved
 * @property sealed        the document that `POST /v1/policies/document` returned, with its seal; absent: the policy is not sealed
 * @property environmentOf the id of a grant of this requester. A line must have the same bound variables as the request of this grant
 */
export type PolicyBody = Shape<typeof PolicyBodySchema>;

const record = {
  id: Type.String(),
  title: Type.String(),
  reason: Type.String(),
  createdBy: Type.String(),
  createdAtMs: Moment,
  endedAtMs: nullable(Moment),
  uses: Type.Integer(),
};

export const DenyPolicyViewSchema = Type.Object({
  ...record,
  effect: Type.Literal('deny'),
  requesterId: nullable(Type.String()),
  rule: Type.Object({ text: nullable(Type.String()), pattern: nullable(DenyPatternSchema) }),
});

export const ReadingPolicyViewSchema = Type.Object({
  ...record,
  effect: Type.Literal('allow-reading'),
  requesterId: Type.String(),
  rule: CommandScopeSchema,
  sealed: Type.Optional(SealedPolicySchema),
});

export const PolicyViewSchema = Type.Union([DenyPolicyViewSchema, ReadingPolicyViewSchema]);
/** `title`: the policy in one line. */
export type PolicyView = Shape<typeof PolicyViewSchema>;

/** `GET /v1/policies`: the newest policies first. Without `state`: the live policies. */
export const PolicyListQuerySchema = Type.Object(
  { state: Type.Optional(Type.Union([Type.Literal('live'), Type.Literal('ended')])) },
  closed,
);
export const PolicyListSchema = Type.Object({ policies: Type.Array(PolicyViewSchema) });
