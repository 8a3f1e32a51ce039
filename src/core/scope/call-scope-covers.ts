/**
 * Decides whether an approval of a tool call covers another call. The server uses this module. For a sealed decision, the host uses this
 * module, too.
 */

import { fileScopeCovers } from '../files/file-scope.ts';
import type { ExecutionRequest } from '../grant/request.ts';
import { fetchScopeCovers } from '../tools/fetch.ts';
import { type McpEffect, type McpServerRule, mcpEffectOf } from '../tools/mcp-rule.ts';
import { toolScopeCovers } from '../tools/mcp-scope.ts';
import type { CallScope } from './command-scope.ts';

const NO_EFFECT: McpEffect = { kind: 'unknown', why: 'is no call of an MCP server' };

/** Looks up the effect of an MCP tool call in the rule files. A request without an MCP tool call has the effect `unknown`. */
export const effectOfCall = (rules: readonly McpServerRule[], { argv, mcp }: ExecutionRequest): McpEffect =>
  mcp === undefined ? NO_EFFECT : mcpEffectOf(rules, argv, mcp);

/**
 * Whether a grant with the scope `scope` and the request `asked` covers the request `wanted`. False if the two requests differ in host or
 * user. The caller checks that the grant is approved, live, and of the same requester.
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
