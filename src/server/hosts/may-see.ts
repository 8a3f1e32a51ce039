/**
 * Decides whose sessions and commands a person sees. An approver with limits sees only the requesters and hosts within these limits. A
 * delegation from another approver adds the requesters and hosts within the limits of that other approver.
 */
import { authorityOf, ruleOf } from '../../core/people/may-decide.ts';
import { type Result, success } from '../../core/result.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { decidersOf, peopleRules, personOf } from '../identity/people-rules.ts';
import type { Refusal } from '../refusal.ts';

type MaySee = (requester: Pick<Subject, 'id' | 'host'>) => boolean;

/**
 * Returns a function that tells whether `by` sees a requester. The limit for the risk does not count here. A person always sees
 * the requesters that belong to the person. An auditor and a person with a break-glass code see everything. A requester sees nothing.
 * Fails if the rules for people cannot be read.
 */
export async function visibleRequesters(
  rows: StoreReader,
  by: Subject,
  nowMs: number,
): Promise<Result<MaySee, Refusal>> {
  if (by.role === 'auditor' || by.role === 'break-glass') return success(() => true);
  if (by.role !== 'approver') return success(() => false);
  const rules = await peopleRules(rows);
  if (!rules.ok) return rules;
  const [personId, deciders] = [personOf(by), await decidersOf(rows)];
  const { own } = ruleOf(rules.value, personId);
  return success(({ id, host }) => {
    const what = { requesterId: id, host, risk: 'low' as const, nowMs };
    return own.includes(id) || authorityOf(rules.value, deciders, personId, what).kind !== 'none';
  });
}
