/** Whether an approval of a tool call covers another call. The server calls this; for a sealed decision the host does too. */

import { scopeReaches } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { fetchScopeReaches } from '../tools/fetch.ts';
import { type McpEffect, type McpServerRule, mcpEffectOf } from '../tools/mcp-rule.ts';
import { toolScopeReaches } from '../tools/mcp-scope.ts';
import type { Reach } from './command-scope.ts';

const NO_EFFECT: McpEffect = { kind: 'unknown', why: 'is no call of an MCP server' };

/** Returns what a call of an MCP tool does, by these rule files. */
export const effectOfCall = (rules: readonly McpServerRule[], { argv, mcp }: ExecutionRequest): McpEffect =>
  mcp === undefined ? NO_EFFECT : mcpEffectOf(rules, argv, mcp);

/** Whether a grant with this scope, given for the request `asked`, covers the request `wanted`. */
export function reachCovers(
  scope: Reach,
  asked: ExecutionRequest,
  wanted: ExecutionRequest,
  rules: readonly McpServerRule[],
): boolean {
  if (!('kind' in scope)) return scopeReaches(scope, asked, wanted);
  if (scope.kind === 'fetch') return fetchScopeReaches(scope, asked, wanted);
  return toolScopeReaches(scope, asked, wanted, effectOfCall(rules, wanted));
}
