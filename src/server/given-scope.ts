/** The scope an approver gives, with what is wrong with it for this request: its line is read once more for that. */
import { type GivenScope, type Grant, isForFiles, type Term } from '../core/grant.ts';
import type { RuleBook } from '../core/permission/rule.ts';
import type { GrantScope } from '../core/scope/command-scope.ts';
import { commandScopeFault } from '../core/scope/scope-fault.ts';
import type { StoreReader } from '../store/store.ts';
import { type Judged, judgeRequest } from './judging.ts';

export async function givenScope(
  rules: RuleBook | null,
  rows: StoreReader,
  grant: Grant,
  scope: GrantScope | null,
  term: Term,
): Promise<GivenScope> {
  if (scope === null || isForFiles(scope)) return { scope };
  const { assessment } = await judgedGrant(rules, rows, grant);
  return { scope, fault: commandScopeFault(scope, { request: grant.request, assessment }, term.kind === 'once') };
}

/** A request as its host found things when it asked; `assessment` is null when nobody looked, or it is no line. */
export async function judgedGrant(
  rules: RuleBook | null,
  rows: StoreReader,
  grant: Grant,
): Promise<{ readonly assessment: Judged['assessment'] | null }> {
  const judged = await judgeRequest(rules, grant.request, await rows.findings(grant.id));
  return { assessment: judged?.assessment ?? null };
}
