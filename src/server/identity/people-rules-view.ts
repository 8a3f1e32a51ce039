/** The rules for people as an approver sees them. Delegations that have ended are left out. */
import { onCallAt } from '../../core/people/on-call.ts';
import { type Result, success } from '../../core/result.ts';
import type { PeopleRulesView } from '../../core/wire/people.ts';
import type { StoreReader } from '../../store/store.ts';
import type { Refusal } from '../refusal.ts';
import { rotaOf } from './on-call.ts';
import { peopleRules } from './people-rules.ts';

/** Fails if the rules for people cannot be read. */
export async function peopleRulesView(rows: StoreReader, nowMs: number): Promise<Result<PeopleRulesView, Refusal>> {
  const rules = await peopleRules(rows);
  if (!rules.ok) return rules;
  const { quorum, delegations } = rules.value;
  const rota = await rotaOf(rows);
  return success({
    quorum,
    delegations: delegations.filter(({ untilMs }) => untilMs > nowMs),
    onCall: rota === null ? null : { rota, now: onCallAt(rota, nowMs) },
  });
}
