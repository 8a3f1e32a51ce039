/** The scope of `apes grants approve`: `--below` for file operations, `--as` for any other request, `--uses` for a scope of commands. */
import { type Failure, failure } from '../../core/failure.ts';
import type { Term } from '../../core/grant/grant.ts';
import { failed, type Result, success } from '../../core/result.ts';
import type { GrantScope } from '../../core/scope/command-scope.ts';
import { isOfferedFor } from '../../core/scope/is-offered-for.ts';
import type { GrantView } from '../../core/wire/grant-view.ts';
import type { GrantClient } from '../../grants/client.ts';
import { fetchProposals } from '../../grants/explanations.ts';
import { type PlanOptions, planScopeOf } from './approve-plan.ts';
import { scopeBelow } from './scope.ts';

export const MAX_USES = 1_000_000;

/**
 * @property below a directory; the approval covers the same kind of file operation on this directory and on every path below it
 * @property as    the id of a proposal, see `apes grants proposals ID`
 * @property uses  how many lines can use the scope, at most `MAX_USES`
 * @property confined whether an approval of exactly the request is confined
 */
interface ApprovalScopeOptions {
  readonly below?: string;
  readonly as?: string;
  readonly uses?: number;
  readonly confined?: true;
}

/** The members of `PlanOptions` are for plans only. */
export type ApprovalOptions = ApprovalScopeOptions & PlanOptions;

/** Returns null for an approval of exactly the request: such an approval has no scope. The server checks every scope again. */
export async function scopeOf(
  client: GrantClient,
  grant: GrantView,
  term: Term,
  options: ApprovalOptions,
): Promise<Result<GrantScope | null, Failure>> {
  const { below, as, uses, confined, strike, narrow } = options;
  const isPlan = grant.request.plan !== undefined;
  if (isPlan && (below !== undefined || as !== undefined || uses !== undefined || confined))
    return failed(failure('usage', 'a plan is approved part by part', 'write --strike 2,5 or --narrow 2=exact,3=4'));
  if (isPlan) return planScopeOf(client, grant, options);
  if (strike !== undefined || narrow !== undefined)
    return failed(failure('usage', '--strike and --narrow are for plans', 'leave both out; --as chooses a scope'));
  if (confined && (below !== undefined || as !== undefined))
    return failed(
      failure(
        'usage',
        '--confined is for exactly the request',
        'leave --confined out: a scope from --as or --below is confined anyway',
      ),
    );
  if (uses !== undefined && as === undefined)
    return failed(failure('usage', '--uses goes with --as', 'see `apes grants proposals ID`'));
  if (below !== undefined && as !== undefined)
    return failed(failure('usage', '--below is for file operations, and --as for any other request', 'choose one'));
  if (below !== undefined) return scopeBelow(below, grant, term);
  return as === undefined ? success(null) : proposedScope(client, grant, as, uses);
}

async function proposedScope(
  client: GrantClient,
  grant: GrantView,
  id: string,
  mostUses: number | undefined,
): Promise<Result<GrantScope | null, Failure>> {
  const offered = await fetchProposals(client, grant.id);
  if (!offered.ok) return offered;
  const { proposals } = offered.value;
  const chosen = proposals.find((each) => each.id === id);
  if (chosen === undefined)
    return failed(
      failure('usage', `there is no proposal ${id}`, `write one of ${proposals.map((each) => each.id).join(', ')}`),
    );
  if (chosen.scope !== null && !isOfferedFor(chosen.scope, grant.request)) return failed(OTHER_SCOPE);
  if (mostUses === undefined) return success(chosen.scope);
  return chosen.scope === null || chosen.scope.kind !== 'commands'
    ? failed(failure('usage', `--uses does not apply to ${id}`, 'choose another proposal, or --term'))
    : success({ ...chosen.scope, mostUses });
}

const OTHER_SCOPE = failure(
  'protocol',
  'the server offers a scope that is not for this request; nothing is signed',
  'do not approve before you know why the server does this',
  'seal.not-asked',
);
