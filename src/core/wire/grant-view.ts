/**
 * A grant as the API shows it: alone, in lists, and as the event `grant` of a stream. `core/grant/grant.ts` explains the members of a
 * grant.
 */
import { Type } from 'typebox';
import { GRANT_STATES } from '../grant/grant.ts';
import { PIN_PLACES } from '../sealed/pin-place-text.ts';
import { ApprovalsSchema } from './approvals.ts';
import { ConfinementSchema } from './confinement.ts';
import { ExecutionRequestSchema } from './execution-request.ts';
import { ImpactsSchema } from './impact.ts';
import { closed, digits, Fingerprint, Id, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';
import { GrantScopeSchema } from './scope.ts';
import { SealedDecisionSchema } from './sealed.ts';
import { TermSchema } from './term.ts';

const StateSchema = literals(...GRANT_STATES);

export const GrantViewSchema = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  state: StateSchema,
  requesterId: Type.String(),
  requesterName: Type.String(),
  request: ExecutionRequestSchema,
  fingerprint: Fingerprint,
  reason: nullable(Type.String()),
  proposedTerm: TermSchema,
  term: nullable(TermSchema),
  scope: nullable(GrantScopeSchema),
  confinement: nullable(ConfinementSchema),
  touches: nullable(ImpactsSchema),
  createdAtMs: Milliseconds,
  expiresAtMs: Milliseconds,
  decidedAtMs: nullable(Milliseconds),
  decidedBy: nullable(Type.String()),
  denyReason: nullable(Type.String()),
  usedAtMs: nullable(Milliseconds),
  uses: Type.Integer(),
  revokedAtMs: nullable(Milliseconds),
  url: Type.String(),
  partUses: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'Of a plan: how often each part was used, in the order of the filed plan',
    }),
  ),
  sealed: Type.Optional(SealedDecisionSchema),
  sealedOnly: Type.Optional(Type.Literal(true, { description: 'The host of the request takes sealed approvals only' })),
  pin: Type.Optional(literals(...PIN_PLACES)),
  batches: Type.Optional(
    Type.Literal(true, {
      description: 'The host of the request verifies seals of batches, which seal several decisions at once',
    }),
  ),
  approvals: Type.Optional(ApprovalsSchema),
  match: Type.Optional(
    Type.String({
      pattern: '^[0-9]{2}$',
      description: 'Shown to the requester while the grant is pending: the number that the approver has to pick',
    }),
  ),
  paused: Type.Optional(
    Type.Literal(true, {
      description:
        'The requester is paused, so nothing runs under the grant until an approver resumes the requester; not in lists',
    }),
  ),
  cutFrom: Type.Optional(
    Type.Integer({
      description:
        'Only in lists, if the request is cut: the size in bytes of the whole request with its impact preview, which `GET /v1/grants/:id` returns',
    }),
  ),
});

/** The stored members of a grant, and its present state. `url` is the address of the page on which an approver decides. */
export type GrantView = Shape<typeof GrantViewSchema>;

/** The query of `GET /v1/grants`. */
export const GrantListQuerySchema = Type.Object(
  {
    state: Type.Optional(StateSchema),
    kind: Type.Optional(Type.Literal('plan', { description: 'only plans' })),
    limit: Type.Optional(digits('1 to 200; default 50')),
    before: Type.Optional(digits('only grants created before this Unix time in milliseconds')),
    beforeId: Type.Optional(
      Type.String({ ...Id, description: 'with `before`, for the next page: the last id of the previous page' }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,16}[.][A-Za-z0-9_-]{1,64}$',
        description: 'the `next` of the previous page, in place of `before` and `beforeId`',
      }),
    ),
    order: Type.Optional(
      Type.String({
        pattern: '^turns$',
        description:
          'the oldest grant of each requester, then the second oldest of each, and so on; only with `state=pending`, not for requesters',
      }),
    ),
    id: Type.Optional(
      Type.String({ pattern: '^g_[a-z2-7]{1,26}$', description: 'only grants whose id begins with this text' }),
    ),
  },
  closed,
);
export type GrantListQuery = Shape<typeof GrantListQuerySchema>;
/**
 * @property grants the newest first, if the call has no `order`
 * @property next   the `cursor` of the next page; null: this is the last page; absent: the call has `order`
 */
export const GrantListSchema = Type.Object({
  grants: Type.Array(GrantViewSchema),
  next: Type.Optional(nullable(Type.String())),
});
