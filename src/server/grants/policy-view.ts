/** Makes the view of a policy for the API. */
import type { Policy } from '../../core/policy/policy.ts';
import { inWords, patternsText, valuesText } from '../../core/scope/scope-text.ts';
import type { PolicyView } from '../../core/wire/policy.ts';

export const policyView = (policy: Policy): PolicyView => ({ ...policy, title: policyTitle(policy) });

/** Names a policy in one line. The caller has to escape the text for the place in which it is shown. */
export function policyTitle(policy: Policy): string {
  if (policy.effect === 'allow-reading') return `may run without asking: ${patternsText(policy.rule.patterns)}`;
  const { text, pattern } = policy.rule;
  if (text !== null) return `forbidden: ${text}`;
  const what = inWords(pattern?.operations ?? [], 'or');
  const where = (pattern?.resources ?? []).map(({ kind, values }) => valuesText(kind, values));
  return `forbidden: ${what}${where.length === 0 ? '' : `, on ${inWords(where, 'or')}`}`;
}
