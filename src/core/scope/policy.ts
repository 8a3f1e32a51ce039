/** What an approver decided for all requests to come: rules that veto, and reading that needs nobody. */
import type { CommandScope, DenyRule } from './command-scope.ts';

/**
 * @property id        `p_` and 26 lower-case base32 characters
 * @property reason    why; a requester sees it when the rule vetoes
 * @property endedAtMs null while it counts (Unix ms)
 * @property uses      requests it vetoed, or lines it let run
 */
interface PolicyRecord {
  readonly id: string;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly uses: number;
}

/** @property requesterId null: every requester */
export interface DenyPolicy extends PolicyRecord {
  readonly effect: 'deny';
  readonly requesterId: string | null;
  readonly rule: Pick<DenyRule, 'text' | 'pattern'>;
}

interface ReadingPolicy extends PolicyRecord {
  readonly effect: 'allow-reading';
  readonly requesterId: string;
  readonly rule: CommandScope;
}

export type Policy = DenyPolicy | ReadingPolicy;

export const denyRuleOf = ({ id, requesterId, rule, reason }: DenyPolicy): DenyRule => ({
  id,
  requesterId,
  text: rule.text,
  pattern: rule.pattern,
  reason,
});

/** Whether a rule can only be judged by what the host found: which files a command is about, through which links. */
export const needsHostFacts = ({ pattern }: DenyRule): boolean => pattern !== null && pattern.resources.length > 0;
