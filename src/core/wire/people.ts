/** The people who decide: what each may decide, how many of them an approval takes, and who decides for whom until when. */
import { Type } from 'typebox';
import { LimitsSchema, MAX_NAMED } from './limits.ts';
import { AssertionSchema } from './passkeys.ts';
import { closed, Id, list, literals, Milliseconds, nullable, type Shape } from './schema-parts.ts';

const MAX_PERSONS = 100;

const PersonRuleSchema = Type.Object({ id: Id, limits: nullable(LimitsSchema), own: list(Id, MAX_NAMED) }, closed);
/**
 * @property limits null: none. Who has none also signs lists of approvers, enrols hosts and changes *Rules*
 * @property own    requesters that belong to this person, who decides on none of their requests
 */
export type PersonRule = Shape<typeof PersonRuleSchema>;

const Count = Type.Integer({ minimum: 1, maximum: 9 });
/** How many people an approval of this risk takes. A higher risk never takes fewer than a lower one. */
const QuorumSchema = Type.Object({ low: Count, medium: Count, high: Count, critical: Count }, closed);
export type Quorum = Shape<typeof QuorumSchema>;

const DelegationSchema = Type.Object({ from: Id, to: Id, untilMs: Milliseconds }, closed);
/** `to` decides what `from` may decide by limits of their own, until then. */
export type Delegation = Shape<typeof DelegationSchema>;

/** Who is not named in `persons` has no limits. */
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

/** `POST /v1/people/:id`: what is left out stays as it is. */
export const PersonBodySchema = Type.Object(
  {
    role: Type.Optional(literals('approver', 'auditor')),
    limits: Type.Optional(nullable(LimitsSchema)),
    own: Type.Optional(list(Id, MAX_NAMED)),
    ...Confirmed,
  },
  closed,
);
