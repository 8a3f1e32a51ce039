/** Decides whether an approval of a tool call covers another call. The server decides this. For a sealed decision, the host does so too. */

import { fileScopeCovers } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { fetchScopeCovers } from '../tools/fetch.ts';
import { type McpEffect, type McpServerRule, mcpEffectOf } from '../tools/mcp-rule.ts';
import { toolScopeCovers } from '../tools/mcp-scope.ts';
import type { CallScope } from './command-scope.ts';

const NO_EFFECT: McpEffect = { kind: 'unknown', why: 'is no call of an MCP server' };

/** Looks up the effect of an MCP tool call in the rule files. The effect of any other request is `unknown`. */
export const effectOfCall = (rules: readonly McpServerRule[], { argv, mcp }: ExecutionRequest): McpEffect =>
  mcp === undefined ? NO_EFFECT : mcpEffectOf(rules, argv, mcp);

/**
 * Whether a grant covers the request `wanted`. The grant has this scope, and `asked` is the grant's request. False if the host or the user
 * differs. The caller checks that the grant is approved, live, and of the same requester.
 */
export function callScopeCovers(
  scope: CallScope,
  asked: ExecutionRequest,
  wanted: ExecutionRequest,
  rules: readonly McpServerRule[],
): boolean {
  if (!('kind' in scope)) return fileScopeCovers(scope, asked, wanted);
  if (scope.kind === 'fetch') return fetchScopeCovers(scope, asked, wanted);
  return toolScopeCovers(scope, asked, wanted, effectOfCall(rules, wanted));
}
