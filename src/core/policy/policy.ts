/** Policies: what an approver has decided for all later requests. A policy forbids something, or allows reading without a grant. */

import type { DenyRule } from '../scope/command-scope.ts';
import type { DenyPolicyViewSchema, ReadingPolicyViewSchema } from '../wire/policy.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property id          `p_` and 26 lower-case base32 characters
 * @property requesterId null: every requester
 * @property reason      the reason of the approver. If the policy forbids a request, the requester sees this reason
 * @property createdBy   the id of the approver or key that made the policy
 * @property endedAtMs   when the policy ended (Unix ms); null while it is in force
 * @property uses        how many requests the policy has forbidden
 */
export type DenyPolicy = Omit<Shape<typeof DenyPolicyViewSchema>, 'title'>;

/**
 * Has the properties of `DenyPolicy`. Two properties have another meaning:
 * @property reason the reason of the approver; `only reads` if the approver gave none
 * @property uses   how many lines the policy has allowed
 */
type ReadingPolicy = Omit<Shape<typeof ReadingPolicyViewSchema>, 'title'>;

export type Policy = DenyPolicy | ReadingPolicy;

export const denyRuleOf = ({ id, requesterId, rule, reason }: DenyPolicy): DenyRule => ({
  id,
  requesterId,
  text: rule.text,
  pattern: rule.pattern,
  reason,
});

/** Whether the check of a rule needs host facts. Host facts say which files a command uses, and where links lead. */
export const needsHostFacts = ({ pattern }: DenyRule): boolean => pattern !== null && pattern.resources.length > 0;
