/** Checks the scope that an approver gives, and makes the confinement of an approval without a scope. */
import {
  type GivenScope,
  type Grant,
  isForCommands,
  isForFiles,
  isForPlan,
  type Term,
} from '../../core/grant/grant.ts';
import { failed } from '../../core/result.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { confineExact } from '../../core/scope/confine-exact.ts';
import { atPlace } from '../../core/scope/propose.ts';
import { commandScopeFault } from '../../core/scope/scope-fault.ts';
import { unfit } from '../../core/scope/unfit.ts';
import type { StoreReader } from '../../store/store.ts';
import type { ServerParts } from '../server-ports.ts';
import { lineOf } from './about-line.ts';
import { callScopeFault } from './call-scopes.ts';
import { givenPlanFault, planParts } from './plan-reading.ts';

/**
 * @property scope      null: the approval is for exactly what was asked
 * @property isConfined whether the approver wants a confinement; refused if a scope is given too
 */
export interface WantedReach {
  readonly scope: GrantScope | null;
  readonly isConfined: boolean;
}

/**
 * Returns the scope and the confinement that the approval gets. `fault`, or a failed `confinement`, says why the approval is refused. Does
 * not check a scope for files: `scopeFault` does this when the grant is approved.
 */
export async function givenScope(
  { rules, mcpRules }: Pick<ServerParts, 'rules' | 'mcpRules'>,
  rows: StoreReader,
  grant: Grant,
  { scope, isConfined }: WantedReach,
  term: Term,
): Promise<GivenScope> {
  if (scope !== null && isConfined)
    return {
      scope: null,
      confinement: failed(unfit('an approval with a scope is confined anyway; give either a scope or `confined`')),
    };
  if (grant.request.plan !== undefined || (scope !== null && isForPlan(scope)))
    return givenPlan({ rules }, rows, grant, scope, term);
  if (scope !== null && isForFiles(scope)) return { scope };
  if (scope !== null && !isForCommands(scope))
    return { scope, fault: callScopeFault(scope, grant.request, mcpRules, term.kind === 'once') };
  if (scope === null && !isConfined) return { scope };
  const { request } = grant;
  const { assessment, place } = await lineOf({ rules }, rows, grant);
  if (scope !== null)
    return { scope, fault: commandScopeFault(scope, atPlace({ request, assessment }, place), term.kind === 'once') };
  const confined = confineExact({ request, assessment }, place);
  return {
    scope,
    confinement: confined.ok
      ? confined
      : failed(unfit(`this cannot be approved confined: it ${confined.failure.message}`)),
  };
}

/** A plan is approved with a scope that names parts of the plan, and with a timed term. */
async function givenPlan(
  parts: Pick<ServerParts, 'rules'>,
  rows: StoreReader,
  grant: Grant,
  scope: GrantScope | null,
  term: Term,
): Promise<GivenScope> {
  if (scope === null || !isForPlan(scope))
    return { scope: null, confinement: failed(unfit('a plan is approved part by part')) };
  if (term.kind !== 'timed') return { scope, fault: unfit('a plan is approved for a limited time') };
  return { scope, fault: givenPlanFault(grant.request, await planParts(parts, rows, grant), scope) };
}
