/** Whose sessions and commands a person sees: an approver with limits those of the requesters and hosts that the limits name. */
import { authorityOf, ruleOf } from '../../core/people/may-decide.ts';
import { type Result, success } from '../../core/result.ts';
import type { StoreReader, Subject } from '../../store/store.ts';
import { decidersOf, peopleRules, personOf } from '../identity/people-rules.ts';
import type { Refusal } from '../refusal.ts';

type MaySee = (requester: Pick<Subject, 'id' | 'host'>) => boolean;

/**
 * As for a denial: the limit for the risk does not count, and a person sees the requesters that belong to them. An auditor sees
 * everything, and a break-glass code has no limits. Fails when the rules for people cannot be read.
 */
export async function sightOf(rows: StoreReader, by: Subject, nowMs: number): Promise<Result<MaySee, Refusal>> {
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
