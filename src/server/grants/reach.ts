/** Calls of tools that are no line: what they do by the server's own rules, and how far an approval may reach. */
import type { AssessmentView } from '../../core/effects/assessment-view.ts';
import type { Permission } from '../../core/effects/permission.ts';
import { type FileVerb, isReading } from '../../core/files/file-operation.ts';
import type { ScopeFault } from '../../core/files/file-scope.ts';
import type { ExecutionRequest } from '../../core/grant/request.ts';
import type { Reach } from '../../core/scope/command-scope.ts';
import { effectOfCall } from '../../core/scope/reach-covers.ts';
import { scopeTitle } from '../../core/scope/scope-title.ts';
import { dangerOf, dangerReason } from '../../core/sensitive/dangerous-places.ts';
import { fetchScopeFault, fetchScopeFor, hostOfOrigin, privateHost } from '../../core/tools/fetch.ts';
import { agreesWithPaths, type McpEffect, type McpServerRule } from '../../core/tools/mcp-rule.ts';
import { exactMcpOnly, toolScopeFault, toolScopesFor } from '../../core/tools/mcp-scope.ts';
import type { ProposalView } from '../../core/wire/proposals.ts';

type Rules = readonly McpServerRule[];

/** Null when this scope may be given to this request for more than one use. */
export function reachFault(
  scope: Exclude<Reach, { pathPrefix: string }>,
  request: ExecutionRequest,
  rules: Rules,
  isOnce: boolean,
): ScopeFault | null {
  return scope.kind === 'fetch'
    ? fetchScopeFault(scope, request, isOnce)
    : toolScopeFault(scope, request, effectOfCall(rules, request), isOnce);
}

const ACCESS = {
  read: 'read',
  search: 'read',
  write: 'write',
  edit: 'write',
  delete: 'delete',
} as const satisfies Record<FileVerb, string>;

/** What a rule that forbids sees of a request besides its text: `file write`, `mcp SERVER TOOL`, `acp AGENT TOOL`, `fetch`. */
export function permissionsOf(rules: Rules, request: ExecutionRequest): readonly Permission[] {
  const { mcp, files = [], fetches = [] } = request;
  const inFiles = files.map(
    ({ verb, path }): Permission => ({
      tool: 'file',
      operation: `file ${verb}`,
      options: [],
      resources: [{ kind: 'path', access: ACCESS[verb], value: path, isExact: verb !== 'search' }],
      risk: isReading(verb) ? 'low' : 'medium',
      sentence: '',
    }),
  );
  const inWeb = fetches.map(fetchPermission);
  return [...inFiles, ...inWeb, ...(mcp === undefined ? [] : [mcpPermission(rules, request)])];
}

function fetchPermission({ url, origin }: { readonly url: string; readonly origin: string }): Permission {
  const host = hostOfOrigin(origin);
  return {
    tool: 'fetch',
    operation: 'fetch',
    options: [],
    resources: [
      { kind: 'host', access: 'contact', value: host, isExact: true },
      { kind: 'url', access: 'read', value: url, isExact: true },
    ],
    risk: privateHost(host) === null ? 'low' : 'high',
    sentence:
      privateHost(host) === null
        ? 'Reads a page on the web. Its address, and so all that stands in it, is sent there; what it says is read by the model.'
        : `Reads an address that is not on the public web: it ${privateHost(host)}.`,
  };
}

function mcpPermission(rules: Rules, request: ExecutionRequest): Permission {
  const { mcp, files = [] } = request;
  const effect = effectOfCall(rules, request);
  const isKnown = effect.kind === 'known' && agreesWithPaths(effect, request);
  const danger = files.map(dangerOf).find((code) => code !== null);
  const careful = danger == null ? '' : ` Careful: ${dangerReason(danger)}.`;
  return {
    tool: 'mcp',
    operation: `${mcp?.protocol ?? 'mcp'} ${mcp?.server} ${mcp?.tool}`,
    options: [],
    resources: files.map(({ verb, path }) => ({
      kind: 'path',
      access: ACCESS[verb],
      value: path,
      isExact: verb !== 'search',
    })),
    risk: !isKnown || danger != null ? 'high' : effect.risk,
    sentence: isKnown ? `${effect.sentence}${careful}` : '',
  };
}

/** What a card says about the call of an MCP tool or a fetch; null for other requests, which have a text of their own. */
export function reachView(rules: Rules, request: ExecutionRequest): AssessmentView | null {
  const { mcp, fetches } = request;
  if (mcp === undefined && fetches === undefined) return null;
  const effect = effectOfCall(rules, request);
  const unknown = mcp === undefined ? null : effect.kind === 'unknown' ? effect.why : pathsFault(request, effect);
  const commands =
    fetches === undefined
      ? [commandView(`${mcp?.server} ${mcp?.tool}`, unknown === null ? mcpPermission(rules, request) : null, unknown)]
      : fetches.map((each) => commandView(each.url, fetchPermission(each), null));
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

const pathsFault = (request: ExecutionRequest, effect: McpEffect): string | null =>
  agreesWithPaths(effect, request) ? null : 'names other paths than its host says';

const commandView = (source: string, permission: Permission | null, unknown: string | null) => ({
  source,
  through: [],
  runs: null,
  permission,
  unknown,
});

const NOTHING_COVERED = { count: 0, of: 0, samples: [] };

/**
 * Proposals for such a call. The first is exactly this; where it is the only one, its title says why nothing wider may be given.
 * Null for lines and file tools.
 */
export function reachProposals(rules: Rules, request: ExecutionRequest): readonly ProposalView[] | null {
  const { mcp, fetches } = request;
  if (mcp === undefined && fetches === undefined) return null;
  const fetch = fetchScopeFor(request);
  const scopes =
    mcp === undefined ? (fetch === null ? [] : [fetch]) : toolScopesFor(request, effectOfCall(rules, request));
  const reason = mcp === undefined ? privateReason(request) : exactMcpOnly(request, effectOfCall(rules, request));
  const exact =
    scopes.length > 0 || reason === null ? 'exactly this' : `exactly this: nothing wider may be given, it ${reason}`;
  const offered = scopes.map((scope, at) => ({
    id: scope.kind === 'fetch' ? 'host' : idOf(scope, at),
    title: scopeTitle(scope),
    scope,
    held: null,
    wouldHaveCovered: NOTHING_COVERED,
  }));
  return [{ id: 'exact', title: exact, scope: null, held: null, wouldHaveCovered: NOTHING_COVERED }, ...offered];
}

/** `tool`, `reading`; with a number behind it where the directory is a wider one. */
const idOf = ({ tools }: { readonly tools: readonly string[] }, at: number): string =>
  `${tools.length === 1 ? 'tool' : 'reading'}-${at + 1}`;

const privateReason = ({ fetches = [] }: ExecutionRequest): string | null =>
  fetches.map(({ origin }) => privateHost(hostOfOrigin(origin))).find((why) => why !== null) ?? null;
