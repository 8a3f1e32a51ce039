/** Applies the server's own rules to a call of an MCP tool or a fetch: what the call does, and which scopes an approver may give. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import type { Permission } from '../../core/effects/permission.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import { effectOfCall } from '../../core/scope/call-scope-covers.ts';
import type { CallScope } from '../../core/scope/command-scope.ts';
import { fetchPermission, mcpPermission } from '../../core/scope/permissions-of-call.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import type { ScopeFault } from '../../core/scope/unfit.ts';
import { fetchScopeFault, fetchScopeFor, hostOfOrigin, privateHost } from '../../core/tools/fetch.ts';
import { agreesWithPaths, type McpEffect, type McpServerRule } from '../../core/tools/mcp-rule.ts';
import { exactMcpOnly, toolScopeFault, toolScopesFor } from '../../core/tools/mcp-scope.ts';
import type { ProposalView } from '../../core/wire/proposals.ts';
import { NOTHING_COVERED } from './past-lines.ts';

type Rules = readonly McpServerRule[];

/**
 * Returns why an approver may not give this scope to this request; null: the approver may give the scope.
 * @param isOnce whether the approval has the term `once`
 */
export function callScopeFault(
  scope: Exclude<CallScope, { pathPrefix: string }>,
  request: ExecutionRequest,
  rules: Rules,
  isOnce: boolean,
): ScopeFault | null {
  return scope.kind === 'fetch'
    ? fetchScopeFault(scope, request, isOnce)
    : toolScopeFault(scope, request, effectOfCall(rules, request), isOnce);
}

/** Returns the assessment that the card of an MCP call or a fetch shows; null for other requests. */
export function callView(rules: Rules, request: ExecutionRequest): AssessmentView | null {
  const { mcp, fetches } = request;
  if (mcp === undefined && fetches === undefined) return null;
  const effect = effectOfCall(rules, request);
  const unknown = mcp === undefined ? null : effect.kind === 'unknown' ? effect.why : whyOtherPaths(request, effect);
  const commands =
    fetches === undefined
      ? [commandView(`${mcp?.server} ${mcp?.tool}`, unknown === null ? mcpPermission(rules, request) : null, unknown)]
      : fetches.map((fetch) => commandView(fetch.url, fetchPermission(fetch), null));
  const risks = commands.map(({ permission }) => permission?.risk ?? null);
  return {
    text: request.text,
    harness: null,
    command: request.text,
    bash: 'unknown',
    risk: risks.includes(null) ? null : risks.includes('high') ? 'high' : (risks[0] ?? null),
    opaque: [],
    commands,
    demands: null,
  };
}

/** Returns a reason; its words continue a sentence that begins with "it". Returns null if the paths agree. */
const whyOtherPaths = (request: ExecutionRequest, effect: McpEffect): string | null =>
  agreesWithPaths(effect, request) ? null : 'names paths that differ from the paths reported by the host';

const commandView = (source: string, permission: Permission | null, unknown: string | null) => ({
  source,
  through: [],
  runs: null,
  permission,
  unknown,
});

/**
 * Returns proposals for the call of an MCP tool or a fetch, and null for lines and file tools. The first proposal is for exactly this
 * call. If no wider scope is offered, and the reason is known, the first proposal's title also gives the reason.
 */
export function callProposals(rules: Rules, request: ExecutionRequest): readonly ProposalView[] | null {
  const { mcp, fetches } = request;
  if (mcp === undefined && fetches === undefined) return null;
  const fetch = fetchScopeFor(request);
  const scopes =
    mcp === undefined ? (fetch === null ? [] : [fetch]) : toolScopesFor(request, effectOfCall(rules, request));
  const reason = mcp === undefined ? privateReason(request) : exactMcpOnly(request, effectOfCall(rules, request));
  const exact =
    scopes.length > 0 || reason === null
      ? { title: 'exactly this' }
      : {
          title: `exactly this: nothing wider may be given, because the request ${reason}`,
          whyOnlyExact: `the request ${reason}`,
        };
  const offered = scopes.map((scope, at) => ({
    id: scope.kind === 'fetch' ? 'host' : idOf(scope, at),
    title: scopeTitle(scope),
    scope,
    held: null,
    wouldHaveCovered: NOTHING_COVERED,
  }));
  return [{ id: 'exact', ...exact, scope: null, held: null, wouldHaveCovered: NOTHING_COVERED }, ...offered];
}

/** Returns `tool-N` for a scope with one tool, `reading-N` for a scope with several tools. N is the position of the scope. */
const idOf = ({ tools }: { readonly tools: readonly string[] }, at: number): string =>
  `${tools.length === 1 ? 'tool' : 'reading'}-${at + 1}`;

const privateReason = ({ fetches = [] }: ExecutionRequest): string | null =>
  fetches.map(({ origin }) => privateHost(hostOfOrigin(origin))).find((why) => why !== null) ?? null;
