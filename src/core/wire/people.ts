/**
 * The people who decide: their list, their invitations, and the rules for people. The rules say what each person may decide, how many
 * people have to approve, and which delegations are in force.
 */
import { Type } from 'typebox';
import { LimitsSchema, MAX_NAMED } from './limits.ts';
import { AssertionSchema } from './passkeys.ts';
import { closed, Id, list, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const MAX_PERSONS = 100;
const PersonName = Type.String({ minLength: 1, maxLength: 64 });

const PersonRuleSchema = Type.Object({ id: Id, limits: nullable(LimitsSchema), own: list(Id, MAX_NAMED) }, closed);
/**
 * @property limits null: no limits. An approver without limits may also sign lists of approvers, enrol hosts and change *Rules*
 * @property own    ids of the requesters that belong to this person; the person may not decide requests of these requesters
 */
export type PersonRule = Shape<typeof PersonRuleSchema>;

const Count = Type.Integer({ minimum: 1, maximum: 9 });
/** How many people have to approve at each risk. A higher risk never needs fewer people than a lower risk. */
const QuorumSchema = Type.Object({ low: Count, medium: Count, high: Count, critical: Count }, closed);
export type Quorum = Shape<typeof QuorumSchema>;

const DelegationSchema = Type.Object({ from: Id, to: Id, untilMs: Milliseconds }, closed);
/** Until `untilMs`, the person `to` may also decide what the limits of the person `from` allow. */
export type Delegation = Shape<typeof DelegationSchema>;

/** A person who is not in `persons` has no limits. */
export const PeopleRulesSchema = Type.Object(
  {
    quorum: QuorumSchema,
    persons: list(PersonRuleSchema, MAX_PERSONS),
    delegations: list(DelegationSchema, MAX_PERSONS),
  },
  closed,
);
export type PeopleRules = Shape<typeof PeopleRulesSchema>;

const Confirmed = { assertion: Type.Optional(AssertionSchema) };

const MAX_ON_CALL = 53;

/**
 * On-call weeks. `from`: when the first week begins, by the wall clock of `timeZone` (`2026-11-30T09:00`). `thenMinutes`: after how
 * many minutes the other approvers are notified of a request that still waits. `timeZone`: IANA name.
 */
const RotaSchema = Type.Object(
  {
    persons: Type.Array(Id, { minItems: 1, maxItems: MAX_ON_CALL }),
    from: Type.String({ minLength: 16, maxLength: 16 }),
    timeZone: Type.String({ minLength: 1, maxLength: 64 }),
    thenMinutes: Type.Integer({ minimum: 1, maximum: 1_440 }),
  },
  closed,
);
/** @property persons the ids of the persons. Each person is on call for a week, in this order. After the last person, the list restarts */
export type Rota = Shape<typeof RotaSchema>;

/** `POST /v1/people/:id`: a member that is absent stays as it is. */
export const PersonBodySchema = Type.Object(
  {
    role: Type.Optional(literals('approver', 'auditor')),
    limits: Type.Optional(nullable(LimitsSchema)),
    own: Type.Optional(list(Id, MAX_NAMED)),
    ...Confirmed,
  },
  closed,
);

/**
 * A person, or a key with which a program decides as the owner (`isKey`). `limits` and `own`: as in `PersonRule`. `passkeys`: the number of
 * this person's passkeys. `revokedAtMs`: null while the person may sign in.
 */
const PersonViewSchema = Type.Object({
  id: Id,
  name: Type.String(),
  isOwner: Type.Boolean(),
  isKey: Type.Boolean({ description: 'a key of the command line, which decides as the owner' }),
  role: literals('approver', 'auditor'),
  limits: nullable(LimitsSchema),
  own: Type.Array(Id),
  passkeys: Type.Integer(),
  createdAtMs: Milliseconds,
  revokedAtMs: nullable(Milliseconds),
});
export type PersonView = Shape<typeof PersonViewSchema>;
export const PeopleSchema = Type.Object({ people: Type.Array(PersonViewSchema) });
/** Without `role`, the person becomes an approver. Without `limits`, or if `limits` is null, the approver has no limits. */
export const InviteBodySchema = Type.Object(
  {
    name: PersonName,
    role: Type.Optional(literals('approver', 'auditor')),
    limits: Type.Optional(nullable(LimitsSchema)),
    ...Confirmed,
  },
  closed,
);
export const InvitationSchema = Type.Object({ personId: Id, signInUrl: Type.String(), expiresAtMs: Milliseconds });

/**
 * - `codes`:       the codes that are not used
 * - `open`:        the people who may now decide with a code, until `untilMs`. `id` is the id of the person. `name` is the name of the code
 *                  with ` (break-glass)` at the end
 * - `isSealing`:   the key of the code is on the list of approvers, and has not ended
 * - `keyEndsAtMs`: the end of the key, past or future; null: the key is not on the list of approvers
 * - `left`:        keys of used or removed codes. Hosts accept such a key until it ends, or until a new list of approvers lacks the key
 */
export const BreakGlassViewSchema = Type.Object({
  codes: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      createdAtMs: Milliseconds,
      isSealing: Type.Boolean(),
      keyEndsAtMs: nullable(Milliseconds),
    }),
  ),
  open: Type.Array(Type.Object({ id: Id, name: Type.String(), untilMs: Milliseconds, isSealing: Type.Boolean() })),
  left: Type.Array(Type.Object({ keyId: Type.String(), name: Type.String() })),
});
export type BreakGlassView = Shape<typeof BreakGlassViewSchema>;
export const BreakGlassBodySchema = Type.Object({ name: PersonName, ...Confirmed }, closed);
/** Only this answer shows the code. */
export const BreakGlassMadeSchema = Type.Object({ id: Id, code: Type.String() });

const OnCallSchema = Type.Object({
  rota: RotaSchema,
  now: nullable(Type.Object({ personId: Id, untilMs: Milliseconds })),
});
/** `GET /v1/people-rules`. `onCall` is null if there are no on-call weeks. `onCall.now` is null before the first week. */
export const PeopleRulesViewSchema = Type.Object({
  quorum: QuorumSchema,
  delegations: Type.Array(DelegationSchema),
  onCall: nullable(OnCallSchema),
});
export type PeopleRulesView = Shape<typeof PeopleRulesViewSchema>;

/**
 * `POST /v1/people-rules`: exactly one of `quorum`, `delegation` and `rota`. A risk that is absent from `quorum` keeps its number. If
 * `untilMs` is null, the delegation ends now. If `rota` is null, the on-call weeks end.
 */
export const PeopleRulesBodySchema = Type.Object(
  {
    quorum: Type.Optional(Type.Partial(QuorumSchema, closed)),
    delegation: Type.Optional(Type.Object({ from: Id, to: Id, untilMs: nullable(Milliseconds) }, closed)),
    rota: Type.Optional(nullable(RotaSchema)),
    ...Confirmed,
  },
  closed,
);
