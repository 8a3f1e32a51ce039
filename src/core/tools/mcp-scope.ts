/** Scopes of calls of an MCP server: what an approval covers in addition to the approved call. Only the approver chooses a scope. */

import { prefixesFor } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { forbidden, notCovering, type ScopeFault, unfit } from '../scope/unfit.ts';
import { dangerClause, dangerOf, dangerousPlace } from '../sensitive/dangerous-places.ts';
import { isAtOrBelow, isPlainPath } from '../text/path.ts';
import type { Shape } from '../wire/schema-parts.ts';
import type { ToolScopeSchema } from '../wire/scope.ts';
import { isSameServer } from './mcp-call.ts';
import { agreesWithPaths, type McpEffect } from './mcp-rule.ts';

/**
 * @property tools names of tools of the same server
 * @property below each path of a call must be this directory or be below it; null: the call must have no path
 */
export type ToolScope = Shape<typeof ToolScopeSchema>;

/**
 * Whether the tool and the paths of the request are in the scope. A path at a dangerous place is in no scope. `toolScopeCovers` also checks
 * the server, and checks that the request has the same paths as the arguments of the call.
 */
export function isInToolScope({ tools, below }: ToolScope, { kind, mcp, files = [] }: ExecutionRequest): boolean {
  if (kind !== 'mcp' || mcp === undefined || !tools.includes(mcp.tool)) return false;
  if (below === null) return files.length === 0;
  return files.length > 0 && files.every((one) => isAtOrBelow(one.path, below) && dangerOf(one) === null);
}

/**
 * Whether an approval with this scope covers the request `wanted`.
 * @param asked  the request that was approved
 * @param effect the effect of `wanted`. The grant server, and a host that verifies a seal, take the effect from their own rule files
 */
export function toolScopeCovers(
  scope: ToolScope,
  asked: ExecutionRequest,
  wanted: ExecutionRequest,
  effect: McpEffect,
): boolean {
  if (effect.kind === 'unknown' || !agreesWithPaths(effect, wanted)) return false;
  if (scope.below === null && !effect.isReading) return false;
  if (scope.tools.length > 1 && !effect.isReading) return false;
  return isSameServer(asked, wanted) && isDeclaredAlike(scope, asked, wanted) && isInToolScope(scope, wanted);
}

/** Whether the server declares the tools of the scope as in the approved request. If not, a human has to approve again. */
function isDeclaredAlike({ tools }: ToolScope, { mcp: asked }: ExecutionRequest, { mcp: wanted }: ExecutionRequest) {
  if (asked === undefined || wanted === undefined) return false;
  return tools.length === 1 ? asked.declared === wanted.declared : asked.listed === wanted.listed;
}

/**
 * Returns why this request must not be approved with this scope; null: the scope is allowed.
 * @param isOnce whether the approval is for one use
 */
export function toolScopeFault(
  scope: ToolScope,
  request: ExecutionRequest,
  effect: McpEffect,
  isOnce: boolean,
): ScopeFault | null {
  if (request.mcp === undefined) return unfit('a scope of tools is for MCP calls only; approve this exactly');
  if (isOnce) return unfit('a scope makes no sense for one use; choose a time, or always');
  if (new Set(scope.tools).size !== scope.tools.length) return unfit('name each tool once');
  const reason = exactMcpOnly(request, effect);
  if (reason !== null) return forbidden(`this can only be approved exactly: it ${reason}`);
  const { below } = scope;
  if (below !== null && !isPlainPath(below))
    return unfit('the directory must be absolute, without ., .. or a slash at the end');
  if (below === '/') return forbidden('/ is everything; choose a directory below it');
  const isOnlyReading = effect.kind === 'known' && effect.isReading;
  const code = below === null ? null : dangerousPlace(below, isOnlyReading);
  if (code !== null) return forbidden(`no scope may cover ${JSON.stringify(below)}: it ${dangerClause(code)}`);
  if (scope.tools.length > 1 && !(effect.kind === 'known' && scope.tools.every((tool) => effect.tools.includes(tool))))
    return forbidden('in a scope for several tools, each tool must only read, and must have paths');
  return toolScopeCovers(scope, request, request, effect)
    ? null
    : notCovering('the request itself is not covered: its tool, or one of its paths, is not in the scope');
}

/** Returns why only this exact call can be approved, in words that follow "it"; null: a scope can cover the call. */
export function exactMcpOnly(request: ExecutionRequest, effect: McpEffect): string | null {
  if (effect.kind === 'unknown') return effect.why;
  if (!agreesWithPaths(effect, request)) return 'names paths that differ from the paths reported by the host';
  if (effect.paths.length === 0) return effect.isReading ? null : 'does more than read, and names no path';
  const danger = (request.files ?? []).map(dangerOf).find((code) => code !== null);
  return danger == null ? null : dangerClause(danger);
}

/** Returns the scopes with which the request may be approved, the narrowest first. Empty: only this exact call can be approved. */
export function toolScopesFor(request: ExecutionRequest, effect: McpEffect): readonly ToolScope[] {
  const { mcp, files = [] } = request;
  if (mcp === undefined || effect.kind === 'unknown') return [];
  const one = [mcp.tool];
  const wide = effect.tools.includes(mcp.tool) && effect.tools.length > 1 ? [effect.tools] : [];
  const places = files.length === 0 ? [null] : prefixesFor(request);
  const scopes = [one, ...wide].flatMap((tools) =>
    places.map((below): ToolScope => ({ kind: 'tools', tools: [...tools], below })),
  );
  return scopes.filter((scope) => toolScopeFault(scope, request, effect, false) === null);
}

/** Describes the scope for people. The text is not escaped. */
export function toolScopeText({ tools, below }: ToolScope): string {
  const which = tools.length === 1 ? `the tool ${tools[0]}` : `the reading tools ${tools.join(', ')}`;
  return below === null ? `${which} with any arguments` : `${which} below ${below}`;
}
