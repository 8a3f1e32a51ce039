/** What an approver decided for all later requests: rules that forbid, and reading that needs no approval. */

import type { DenyRule } from '../scope/command-scope.ts';
import type { DenyPolicyViewSchema, ReadingPolicyViewSchema } from '../wire/policy.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property id          `p_` and 26 lower-case base32 characters
 * @property requesterId null: every requester
 * @property reason      why; a requester sees it when the rule vetoes
 * @property endedAtMs   null while it counts (Unix ms)
 * @property uses        requests it vetoed
 */
export type DenyPolicy = Omit<Shape<typeof DenyPolicyViewSchema>, 'title'>;

/** @property uses lines it let run; the rest as above */
type ReadingPolicy = Omit<Shape<typeof ReadingPolicyViewSchema>, 'title'>;

export type Policy = DenyPolicy | ReadingPolicy;

export const denyRuleOf = ({ id, requesterId, rule, reason }: DenyPolicy): DenyRule => ({
  id,
  requesterId,
  text: rule.text,
  pattern: rule.pattern,
  reason,
});

/** Whether a rule can only be decided by what the host found: which files a command is about, through which links. */
export const needsHostFacts = ({ pattern }: DenyRule): boolean => pattern !== null && pattern.resources.length > 0;
