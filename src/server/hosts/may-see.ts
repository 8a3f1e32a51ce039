/** Decides whose sessions and commands a person sees. An approver with limits sees those of the requesters and hosts in the limits. */
import { authorityOf, ruleOf } from '../../core/people/may-decide.ts';
import { type Result, success } from '../../core/result.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { decidersOf, peopleRules, personOf } from '../identity/people-rules.ts';
import type { Refusal } from '../refusal.ts';

type MaySee = (requester: Pick<Subject, 'id' | 'host'>) => boolean;

/**
 * Returns the test whether this person sees a requester. The limit for the risk does not count here. The requesters that belong to a
 * person are always visible to them. An auditor and a person with a break-glass code see everything. Fails if the rules
 * for people cannot be read.
 */
export async function visibleRequesters(
  rows: StoreReader,
  by: Subject,
  nowMs: number,
): Promise<Result<MaySee, Refusal>> {
  if (by.role !== 'approver') return success(() => true);
  const rules = await peopleRules(rows);
  if (!rules.ok) return rules;
  const [personId, deciders] = [personOf(by), await decidersOf(rows)];
  const { own } = ruleOf(rules.value, personId);
  return success(({ id, host }) => {
    const what = { requesterId: id, host, risk: 'low' as const, nowMs };
    return own.includes(id) || authorityOf(rules.value, deciders, personId, what).kind !== 'none';
  });
}
