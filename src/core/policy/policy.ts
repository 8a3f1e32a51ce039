/** What an approver decided for all later requests: rules that forbid, and reading that needs no approval. */

import type { DenyRule } from '../scope/command-scope.ts';
import type { DenyPolicyViewSchema, ReadingPolicyViewSchema } from '../wire/policy.ts';
import type { Shape } from '../wire/schema-parts.ts';

/**
 * @property id          `p_` and 26 lower-case base32 characters
 * @property requesterId null: every requester
 * @property reason      why; a requester sees it when the rule vetoes
 * @property endedAtMs   when it ended (Unix ms); null while it is in force
 * @property uses        how many requests it vetoed
 */
export type DenyPolicy = Omit<Shape<typeof DenyPolicyViewSchema>, 'title'>;

/** @property uses how many lines it let run; the rest as in `DenyPolicy` */
type ReadingPolicy = Omit<Shape<typeof ReadingPolicyViewSchema>, 'title'>;

export type Policy = DenyPolicy | ReadingPolicy;

export const denyRuleOf = ({ id, requesterId, rule, reason }: DenyPolicy): DenyRule => ({
  id,
  requesterId,
  text: rule.text,
  pattern: rule.pattern,
  reason,
});

/** Whether the check of a rule needs host facts: which files a command is about, and where links lead. */
export const needsHostFacts = ({ pattern }: DenyRule): boolean => pattern !== null && pattern.resources.length > 0;
